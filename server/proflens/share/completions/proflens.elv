
use builtin;
use str;

set edit:completion:arg-completer[proflens] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'proflens'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'proflens'= {
            cand --log 'Also write the log to this file'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --stdio 'Accepted because editors pass it; there is no other way to connect'
            cand -h 'Print help'
            cand --help 'Print help'
            cand -V 'Print version'
            cand --version 'Print version'
            cand lsp 'The language server on stdin and stdout, as editors start it'
            cand report 'The hottest functions, and where the rest of the time went'
            cand explain 'A recording in a few paragraphs, for coding agents'
            cand annotate 'A source text with its costs, as an editor would show them'
            cand flame 'A flame graph of traces, as one page or picture'
            cand compare 'What changed between traces, and whether that is more than noise'
            cand convert 'A trace in the format of another tool, with names of the source'
            cand record 'Runs a command, records it, and shows what was hot'
            cand doctor 'Which file and source map each script of a trace has, and why not'
            cand collect 'Receives what pages measure of themselves, and keeps it in files'
            cand mcp 'Answers coding agents, over the Model Context Protocol on stdio'
            cand completions 'Completions for a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'proflens;lsp'= {
            cand --log 'Also write the log to this file'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --stdio 'Accepted because editors pass it; there is no other way to connect'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proflens;report'= {
            cand --by 'Order by self or total time'
            cand --limit 'How many functions to list; 0 lists all'
            cand --format 'How to print'
            cand --base 'What 100 % is: active leaves out idle time and samples without a stack'
            cand --workspace 'The workspace folder; the current folder if not given'
            cand --map 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)'
            cand --runner-caches 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)'
            cand --thread 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript'
            cand --between 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds'
            cand --marker 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)'
            cand --label 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)'
            cand --focus 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)'
            cand --callers-of 'Only who called this function, which gets the time of all that it called (repeatable)'
            cand --path 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)'
            cand --drop 'Leave out the samples in which this function ran (repeatable)'
            cand --merge 'Give the time of this function to its callers (repeatable)'
            cand --collapse 'Make the functions of this package one (repeatable)'
            cand --counts 'How often functions were called in another run of the same program: a file or folder that NODE_V8_COVERAGE wrote'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --all 'Also list the functions that were not placed'
            cand --lines 'In JSON, also list the self time of each line'
            cand --dependencies 'Count code below node_modules as workspace code'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proflens;explain'= {
            cand --function 'Only this function, by its name or by a line in it: parse, Parser.parse, src/parser.ts:23'
            cand --max-tokens 'About how long the text is, counted as one token for four bytes'
            cand --workspace 'The workspace folder; the current folder if not given'
            cand --map 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)'
            cand --runner-caches 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)'
            cand --thread 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript'
            cand --between 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds'
            cand --marker 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)'
            cand --label 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)'
            cand --focus 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)'
            cand --callers-of 'Only who called this function, which gets the time of all that it called (repeatable)'
            cand --path 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)'
            cand --drop 'Leave out the samples in which this function ran (repeatable)'
            cand --merge 'Give the time of this function to its callers (repeatable)'
            cand --collapse 'Make the functions of this package one (repeatable)'
            cand --counts 'How often functions were called in another run of the same program: a file or folder that NODE_V8_COVERAGE wrote'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --dependencies 'Count code below node_modules as workspace code'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proflens;annotate'= {
            cand --trace 'The traces, or folders of runs, which are added up; - is stdin; the newest recording or trace of the workspace if none is named'
            cand --threshold 'Percent of the active time that a function''s total must reach'
            cand --workspace 'The workspace folder; the current folder if not given'
            cand --map 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)'
            cand --runner-caches 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)'
            cand --thread 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript'
            cand --between 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds'
            cand --marker 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)'
            cand --label 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)'
            cand --focus 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)'
            cand --callers-of 'Only who called this function, which gets the time of all that it called (repeatable)'
            cand --path 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)'
            cand --drop 'Leave out the samples in which this function ran (repeatable)'
            cand --merge 'Give the time of this function to its callers (repeatable)'
            cand --collapse 'Make the functions of this package one (repeatable)'
            cand --counts 'How often functions were called in another run of the same program: a file or folder that NODE_V8_COVERAGE wrote'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --lines 'Also show the self time of each line, before the line, and how often it ran where that was counted'
            cand --dependencies 'Count code below node_modules as workspace code'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proflens;flame'= {
            cand --before 'Compare with this trace, or with the traces in a folder, that were recorded before (repeatable). Frames are coloured by how much they changed; several traces of a side are runs, of which the mean is shown'
            cand -o 'The file to write: a page (.html) or a picture (.svg); if not given, a page with the name of the first trace'
            cand --output 'The file to write: a page (.html) or a picture (.svg); if not given, a page with the name of the first trace'
            cand --workspace 'The workspace folder; the current folder if not given'
            cand --map 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)'
            cand --runner-caches 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)'
            cand --thread 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript'
            cand --between 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds'
            cand --marker 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)'
            cand --label 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)'
            cand --focus 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)'
            cand --callers-of 'Only who called this function, which gets the time of all that it called (repeatable)'
            cand --path 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)'
            cand --drop 'Leave out the samples in which this function ran (repeatable)'
            cand --merge 'Give the time of this function to its callers (repeatable)'
            cand --collapse 'Make the functions of this package one (repeatable)'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --open 'Open it, in the browser'
            cand --dependencies 'Count code below node_modules as workspace code'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proflens;compare'= {
            cand --before 'Traces or a folder before; it need not exist, as in the first run of a CI job: then there is nothing to compare, and no error'
            cand --after 'Traces or a folder after (repeatable)'
            cand --before-rev 'Before: the recordings in .proflens/recordings of this commit, branch or tag; after is then the newest recording, if not named'
            cand --per 'What times are divided by: machine (how fast the machine was, as all functions together tell), run (nothing), call (how often each function was called, where that was counted on both sides), active (the active time), function:NAME (the time of something that did not change), marker:NAME (how often it was set, such as requests)'
            cand --noise 'With one run a side: how much runs are taken to differ without a cause (one standard deviation)'
            cand --fail-on-regression 'Ends with status 3 if a function, or all of it, got slower by at least this much, and that is more than noise'
            cand --by 'Which time of functions is listed; auto is the one that tells most of what changed'
            cand --limit 'How many functions to list; 0 lists all; if not given 20, and all in JSON'
            cand --format 'How to print'
            cand --link-base 'In Markdown, functions are links to their lines below this address: https://github.com/me/app/blob/main'
            cand --workspace 'The workspace folder; the current folder if not given'
            cand --map 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)'
            cand --runner-caches 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)'
            cand --thread 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript'
            cand --between 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds'
            cand --marker 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)'
            cand --label 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)'
            cand --focus 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)'
            cand --callers-of 'Only who called this function, which gets the time of all that it called (repeatable)'
            cand --path 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)'
            cand --drop 'Leave out the samples in which this function ran (repeatable)'
            cand --merge 'Give the time of this function to its callers (repeatable)'
            cand --collapse 'Make the functions of this package one (repeatable)'
            cand --before-counts 'How often functions were called in a run of the side before: a file or folder that NODE_V8_COVERAGE wrote'
            cand --after-counts 'The same of the side after'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --dependencies 'Count code below node_modules as workspace code'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proflens;convert'= {
            cand --to 'The format to write; if not given, what the ending of FILE says'
            cand -o 'Where to write, instead of stdout; what ends in .gz is compressed'
            cand --output 'Where to write, instead of stdout; what ends in .gz is compressed'
            cand --workspace 'Write the names and places that functions have in this folder, through source maps'
            cand --map 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)'
            cand --runner-caches 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)'
            cand --thread 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript'
            cand --between 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds'
            cand --marker 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)'
            cand --label 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)'
            cand --focus 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)'
            cand --callers-of 'Only who called this function, which gets the time of all that it called (repeatable)'
            cand --path 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)'
            cand --drop 'Leave out the samples in which this function ran (repeatable)'
            cand --merge 'Give the time of this function to its callers (repeatable)'
            cand --collapse 'Make the functions of this package one (repeatable)'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --dependencies 'Count code below node_modules as workspace code'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'proflens;record'= {
            cand --attach 'Record what runs already: the number of a process of Node, HOST:PORT or ws://… of an inspector'
            cand --page 'Open this page in a Chrome, Chromium or Edge with a profile of its own, and record it'
            cand --browser 'With --page: the browser to start'
            cand --interval 'Time between two samples, with its unit: 1ms, 200us'
            cand --duration 'Record for this long, while the program runs on: 10s, 100ms'
            cand --delay 'Begin after this time'
            cand --heap 'Record sampled allocations instead of time: those still in use at the end, or all, also those that were collected'
            cand --only 'Only processes whose command line holds this text, in which * stands for anything'
            cand --repeat 'Run the command this many times, and record each run: what `proflens compare` asks for'
            cand --against 'Also run the command in another version, by turns with this one, and compare the two: a commit, branch or tag of git, or another folder. --repeat says how many runs there are of each, 10 if not given'
            cand --setup 'With --against: run this in a shell first, in both versions: ''npm ci && npm run build'''
            cand --until-sure 'With --against: run as often as it takes until every function with 3 % of the time or more has certainly changed, or has changed by less than this'
            cand --max-runs 'With --until-sure: this many runs of each version at most'
            cand --max-time 'With --until-sure: begin no more runs after this time'
            cand --fail-on-regression 'With --against: end with status 3 if a function, or all of it, got slower by at least this much, and that is more than noise'
            cand --warmup 'With --repeat or --against: run the command this many times first, without keeping a recording'
            cand -o 'Where to write the recording, or with --repeat and --against the folder for those of all runs, which is added to; below .proflens/recordings if not given'
            cand --out 'Where to write the recording, or with --repeat and --against the folder for those of all runs, which is added to; below .proflens/recordings if not given'
            cand --workspace 'The workspace folder; the current folder if not given'
            cand --map 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)'
            cand --runner-caches 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --allow-remote 'With --attach: also on another machine'
            cand --headless 'With --page: show no window'
            cand --counts 'Run the command once more, and count in that run how often each function is called'
            cand --deopts 'Run the command once more, and have V8 log in that run which functions it optimises, which it gives up again, and why'
            cand --dependencies 'Count code below node_modules as workspace code'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'proflens;doctor'= {
            cand --format 'How to print'
            cand --workspace 'The workspace folder; the current folder if not given'
            cand --map 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)'
            cand --runner-caches 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --dependencies 'Count code below node_modules as workspace code'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proflens;collect'= {
            cand --listen 'Where to listen: an address and a port, or a port of this machine alone; 0 takes a free one'
            cand -o 'The folder for the files'
            cand --out 'The folder for the files'
            cand --origin 'An origin whose pages may send: https://shop.example (repeatable)'
            cand --max-body 'The largest trace, as it is sent and unpacked'
            cand --rotate-size 'Begin another file from this size on'
            cand --rotate-every 'Begin another file from this age on'
            cand --max-disk 'All files together: traces are refused from there on'
            cand --rate 'How many traces a second are taken'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --sync 'Acknowledge a trace only when the disk has it: none is lost without power either'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proflens;mcp'= {
            cand --allow-record 'Let the agent run exactly this command, without a shell, to record it (repeatable)'
            cand --setup 'What a shell runs in both versions before the agent records them by turns, such as ''npm ci'''
            cand --workspace 'The workspace folder; the current folder if not given'
            cand --map 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)'
            cand --runner-caches 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)'
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand --dependencies 'Count code below node_modules as workspace code'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proflens;completions'= {
            cand --color 'When to use colours; auto is on a terminal, unless NO_COLOR is set'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'proflens;help'= {
            cand lsp 'The language server on stdin and stdout, as editors start it'
            cand report 'The hottest functions, and where the rest of the time went'
            cand explain 'A recording in a few paragraphs, for coding agents'
            cand annotate 'A source text with its costs, as an editor would show them'
            cand flame 'A flame graph of traces, as one page or picture'
            cand compare 'What changed between traces, and whether that is more than noise'
            cand convert 'A trace in the format of another tool, with names of the source'
            cand record 'Runs a command, records it, and shows what was hot'
            cand doctor 'Which file and source map each script of a trace has, and why not'
            cand collect 'Receives what pages measure of themselves, and keeps it in files'
            cand mcp 'Answers coding agents, over the Model Context Protocol on stdio'
            cand completions 'Completions for a shell'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'proflens;help;lsp'= {
        }
        &'proflens;help;report'= {
        }
        &'proflens;help;explain'= {
        }
        &'proflens;help;annotate'= {
        }
        &'proflens;help;flame'= {
        }
        &'proflens;help;compare'= {
        }
        &'proflens;help;convert'= {
        }
        &'proflens;help;record'= {
        }
        &'proflens;help;doctor'= {
        }
        &'proflens;help;collect'= {
        }
        &'proflens;help;mcp'= {
        }
        &'proflens;help;completions'= {
        }
        &'proflens;help;help'= {
        }
    ]
    $completions[$command]
}
