# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_proflens_global_optspecs
    string join \n stdio log= color= h/help V/version
end

function __fish_proflens_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_proflens_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_proflens_using_subcommand
    set -l cmd (__fish_proflens_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c proflens -n "__fish_proflens_needs_command" -l log -d 'Also write the log to this file' -r -F
complete -c proflens -n "__fish_proflens_needs_command" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_needs_command" -l stdio -d 'Accepted because editors pass it; there is no other way to connect'
complete -c proflens -n "__fish_proflens_needs_command" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_needs_command" -s V -l version -d 'Print version'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "lsp" -d 'The language server on stdin and stdout, as editors start it'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "report" -d 'The hottest functions, and where the rest of the time went'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "explain" -d 'A recording in a few paragraphs, for coding agents'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "annotate" -d 'A source text with its costs, as an editor would show them'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "flame" -d 'A flame graph of traces, as one page or picture'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "compare" -d 'What changed between traces, and whether that is more than noise'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "convert" -d 'A trace in the format of another tool, with names of the source'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "record" -d 'Runs a command, records it, and shows what was hot'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "doctor" -d 'Which file and source map each script of a trace has, and why not'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "collect" -d 'Receives what pages measure of themselves, and keeps it in files'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "mcp" -d 'Answers coding agents, over the Model Context Protocol on stdio'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "completions" -d 'Completions for a shell'
complete -c proflens -n "__fish_proflens_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c proflens -n "__fish_proflens_using_subcommand lsp" -l log -d 'Also write the log to this file' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand lsp" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand lsp" -l stdio -d 'Accepted because editors pass it; there is no other way to connect'
complete -c proflens -n "__fish_proflens_using_subcommand lsp" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_using_subcommand report" -l by -d 'Order by self or total time' -r -f -a "self\t''
total\t''"
complete -c proflens -n "__fish_proflens_using_subcommand report" -l limit -d 'How many functions to list; 0 lists all' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l format -d 'How to print' -r -f -a "table\t''
json\t''
markdown\t''"
complete -c proflens -n "__fish_proflens_using_subcommand report" -l base -d 'What 100 % is: active leaves out idle time and samples without a stack' -r -f -a "active\t''
all\t''"
complete -c proflens -n "__fish_proflens_using_subcommand report" -l workspace -d 'The workspace folder; the current folder if not given' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand report" -l map -d 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l runner-caches -d 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l thread -d 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l between -d 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l marker -d 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l label -d 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l focus -d 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l callers-of -d 'Only who called this function, which gets the time of all that it called (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l path -d 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l drop -d 'Leave out the samples in which this function ran (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l merge -d 'Give the time of this function to its callers (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l collapse -d 'Make the functions of this package one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand report" -l counts -d 'How often functions were called in another run of the same program: a file or folder that NODE_V8_COVERAGE wrote' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand report" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand report" -l all -d 'Also list the functions that were not placed'
complete -c proflens -n "__fish_proflens_using_subcommand report" -l lines -d 'In JSON, also list the self time of each line'
complete -c proflens -n "__fish_proflens_using_subcommand report" -l dependencies -d 'Count code below node_modules as workspace code'
complete -c proflens -n "__fish_proflens_using_subcommand report" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l function -d 'Only this function, by its name or by a line in it: parse, Parser.parse, src/parser.ts:23' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l max-tokens -d 'About how long the text is, counted as one token for four bytes' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l workspace -d 'The workspace folder; the current folder if not given' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l map -d 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l runner-caches -d 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l thread -d 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l between -d 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l marker -d 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l label -d 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l focus -d 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l callers-of -d 'Only who called this function, which gets the time of all that it called (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l path -d 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l drop -d 'Leave out the samples in which this function ran (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l merge -d 'Give the time of this function to its callers (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l collapse -d 'Make the functions of this package one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l counts -d 'How often functions were called in another run of the same program: a file or folder that NODE_V8_COVERAGE wrote' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand explain" -l dependencies -d 'Count code below node_modules as workspace code'
complete -c proflens -n "__fish_proflens_using_subcommand explain" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l trace -d 'The traces, or folders of runs, which are added up; - is stdin; the newest recording or trace of the workspace if none is named' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l threshold -d 'Percent of the active time that a function\'s total must reach' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l workspace -d 'The workspace folder; the current folder if not given' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l map -d 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l runner-caches -d 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l thread -d 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l between -d 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l marker -d 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l label -d 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l focus -d 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l callers-of -d 'Only who called this function, which gets the time of all that it called (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l path -d 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l drop -d 'Leave out the samples in which this function ran (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l merge -d 'Give the time of this function to its callers (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l collapse -d 'Make the functions of this package one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l counts -d 'How often functions were called in another run of the same program: a file or folder that NODE_V8_COVERAGE wrote' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l lines -d 'Also show the self time of each line, before the line, and how often it ran where that was counted'
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -l dependencies -d 'Count code below node_modules as workspace code'
complete -c proflens -n "__fish_proflens_using_subcommand annotate" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l before -d 'Compare with this trace, or with the traces in a folder, that were recorded before (repeatable). Frames are coloured by how much they changed; several traces of a side are runs, of which the mean is shown' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand flame" -s o -l output -d 'The file to write: a page (.html) or a picture (.svg); if not given, a page with the name of the first trace' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l workspace -d 'The workspace folder; the current folder if not given' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l map -d 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l runner-caches -d 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l thread -d 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l between -d 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l marker -d 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l label -d 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l focus -d 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l callers-of -d 'Only who called this function, which gets the time of all that it called (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l path -d 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l drop -d 'Leave out the samples in which this function ran (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l merge -d 'Give the time of this function to its callers (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l collapse -d 'Make the functions of this package one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l open -d 'Open it, in the browser'
complete -c proflens -n "__fish_proflens_using_subcommand flame" -l dependencies -d 'Count code below node_modules as workspace code'
complete -c proflens -n "__fish_proflens_using_subcommand flame" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l before -d 'Traces or a folder before; it need not exist, as in the first run of a CI job: then there is nothing to compare, and no error' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l after -d 'Traces or a folder after (repeatable)' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l before-rev -d 'Before: the recordings in .proflens/recordings of this commit, branch or tag; after is then the newest recording, if not named' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l per -d 'What times are divided by: machine (how fast the machine was, as all functions together tell), run (nothing), call (how often each function was called, where that was counted on both sides), active (the active time), function:NAME (the time of something that did not change), marker:NAME (how often it was set, such as requests)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l noise -d 'With one run a side: how much runs are taken to differ without a cause (one standard deviation)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l fail-on-regression -d 'Ends with status 3 if a function, or all of it, got slower by at least this much, and that is more than noise' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l by -d 'Which time of functions is listed; auto is the one that tells most of what changed' -r -f -a "auto\t''
self\t''
total\t''"
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l limit -d 'How many functions to list; 0 lists all; if not given 20, and all in JSON' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l format -d 'How to print' -r -f -a "table\t''
json\t''
markdown\t''"
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l link-base -d 'In Markdown, functions are links to their lines below this address: https://github.com/me/app/blob/main' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l workspace -d 'The workspace folder; the current folder if not given' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l map -d 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l runner-caches -d 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l thread -d 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l between -d 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l marker -d 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l label -d 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l focus -d 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l callers-of -d 'Only who called this function, which gets the time of all that it called (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l path -d 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l drop -d 'Leave out the samples in which this function ran (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l merge -d 'Give the time of this function to its callers (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l collapse -d 'Make the functions of this package one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l before-counts -d 'How often functions were called in a run of the side before: a file or folder that NODE_V8_COVERAGE wrote' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l after-counts -d 'The same of the side after' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand compare" -l dependencies -d 'Count code below node_modules as workspace code'
complete -c proflens -n "__fish_proflens_using_subcommand compare" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l to -d 'The format to write; if not given, what the ending of FILE says' -r -f -a "cpuprofile\t'For Chrome\'s DevTools and VS Code; one thread'
speedscope\t'For speedscope'
pprof\t'For pprof and continuous profilers; always compressed'
otlp\t'For collectors and backends of OpenTelemetry, as protobuf'
firefox\t'For the Firefox Profiler, profiler.firefox.com'
collapsed\t'For flame graph tools, in microseconds'"
complete -c proflens -n "__fish_proflens_using_subcommand convert" -s o -l output -d 'Where to write, instead of stdout; what ends in .gz is compressed' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l workspace -d 'Write the names and places that functions have in this folder, through source maps' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l map -d 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l runner-caches -d 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l thread -d 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l between -d 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l marker -d 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l label -d 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l focus -d 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l callers-of -d 'Only who called this function, which gets the time of all that it called (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l path -d 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l drop -d 'Leave out the samples in which this function ran (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l merge -d 'Give the time of this function to its callers (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l collapse -d 'Make the functions of this package one (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand convert" -l dependencies -d 'Count code below node_modules as workspace code'
complete -c proflens -n "__fish_proflens_using_subcommand convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c proflens -n "__fish_proflens_using_subcommand record" -l attach -d 'Record what runs already: the number of a process of Node, HOST:PORT or ws://… of an inspector' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l page -d 'Open this page in a Chrome, Chromium or Edge with a profile of its own, and record it' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l browser -d 'With --page: the browser to start' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand record" -l interval -d 'Time between two samples, with its unit: 1ms, 200us' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l duration -d 'Record for this long, while the program runs on: 10s, 100ms' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l delay -d 'Begin after this time' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l heap -d 'Record sampled allocations instead of time: those still in use at the end, or all, also those that were collected' -r -f -a "in-use\t'Those that are still in use at the end'
all\t'All, also those that were collected'"
complete -c proflens -n "__fish_proflens_using_subcommand record" -l only -d 'Only processes whose command line holds this text, in which * stands for anything' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l repeat -d 'Run the command this many times, and record each run: what `proflens compare` asks for' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l against -d 'Also run the command in another version, by turns with this one, and compare the two: a commit, branch or tag of git, or another folder. --repeat says how many runs there are of each, 10 if not given' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l setup -d 'With --against: run this in a shell first, in both versions: \'npm ci && npm run build\'' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l until-sure -d 'With --against: run as often as it takes until every function with 3 % of the time or more has certainly changed, or has changed by less than this' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l max-runs -d 'With --until-sure: this many runs of each version at most' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l max-time -d 'With --until-sure: begin no more runs after this time' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l fail-on-regression -d 'With --against: end with status 3 if a function, or all of it, got slower by at least this much, and that is more than noise' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l warmup -d 'With --repeat or --against: run the command this many times first, without keeping a recording' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -s o -l out -d 'Where to write the recording, or with --repeat and --against the folder for those of all runs, which is added to; below .proflens/recordings if not given' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand record" -l workspace -d 'The workspace folder; the current folder if not given' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand record" -l map -d 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l runner-caches -d 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)' -r
complete -c proflens -n "__fish_proflens_using_subcommand record" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand record" -l allow-remote -d 'With --attach: also on another machine'
complete -c proflens -n "__fish_proflens_using_subcommand record" -l headless -d 'With --page: show no window'
complete -c proflens -n "__fish_proflens_using_subcommand record" -l counts -d 'Run the command once more, and count in that run how often each function is called'
complete -c proflens -n "__fish_proflens_using_subcommand record" -l deopts -d 'Run the command once more, and have V8 log in that run which functions it optimises, which it gives up again, and why'
complete -c proflens -n "__fish_proflens_using_subcommand record" -l dependencies -d 'Count code below node_modules as workspace code'
complete -c proflens -n "__fish_proflens_using_subcommand record" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c proflens -n "__fish_proflens_using_subcommand doctor" -l format -d 'How to print' -r -f -a "text\t''
json\t''"
complete -c proflens -n "__fish_proflens_using_subcommand doctor" -l workspace -d 'The workspace folder; the current folder if not given' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand doctor" -l map -d 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand doctor" -l runner-caches -d 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)' -r
complete -c proflens -n "__fish_proflens_using_subcommand doctor" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand doctor" -l dependencies -d 'Count code below node_modules as workspace code'
complete -c proflens -n "__fish_proflens_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_using_subcommand collect" -l listen -d 'Where to listen: an address and a port, or a port of this machine alone; 0 takes a free one' -r
complete -c proflens -n "__fish_proflens_using_subcommand collect" -s o -l out -d 'The folder for the files' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand collect" -l origin -d 'An origin whose pages may send: https://shop.example (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand collect" -l max-body -d 'The largest trace, as it is sent and unpacked' -r
complete -c proflens -n "__fish_proflens_using_subcommand collect" -l rotate-size -d 'Begin another file from this size on' -r
complete -c proflens -n "__fish_proflens_using_subcommand collect" -l rotate-every -d 'Begin another file from this age on' -r
complete -c proflens -n "__fish_proflens_using_subcommand collect" -l max-disk -d 'All files together: traces are refused from there on' -r
complete -c proflens -n "__fish_proflens_using_subcommand collect" -l rate -d 'How many traces a second are taken' -r
complete -c proflens -n "__fish_proflens_using_subcommand collect" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand collect" -l sync -d 'Acknowledge a trace only when the disk has it: none is lost without power either'
complete -c proflens -n "__fish_proflens_using_subcommand collect" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_using_subcommand mcp" -l allow-record -d 'Let the agent run exactly this command, without a shell, to record it (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand mcp" -l setup -d 'What a shell runs in both versions before the agent records them by turns, such as \'npm ci\'' -r
complete -c proflens -n "__fish_proflens_using_subcommand mcp" -l workspace -d 'The workspace folder; the current folder if not given' -r -F
complete -c proflens -n "__fish_proflens_using_subcommand mcp" -l map -d 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)' -r
complete -c proflens -n "__fish_proflens_using_subcommand mcp" -l runner-caches -d 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)' -r
complete -c proflens -n "__fish_proflens_using_subcommand mcp" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand mcp" -l dependencies -d 'Count code below node_modules as workspace code'
complete -c proflens -n "__fish_proflens_using_subcommand mcp" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_using_subcommand completions" -l color -d 'When to use colours; auto is on a terminal, unless NO_COLOR is set' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set'
always\t'Also in files and pipes'
never\t'Nowhere'"
complete -c proflens -n "__fish_proflens_using_subcommand completions" -s h -l help -d 'Print help'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "lsp" -d 'The language server on stdin and stdout, as editors start it'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "report" -d 'The hottest functions, and where the rest of the time went'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "explain" -d 'A recording in a few paragraphs, for coding agents'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "annotate" -d 'A source text with its costs, as an editor would show them'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "flame" -d 'A flame graph of traces, as one page or picture'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "compare" -d 'What changed between traces, and whether that is more than noise'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "convert" -d 'A trace in the format of another tool, with names of the source'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "record" -d 'Runs a command, records it, and shows what was hot'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "doctor" -d 'Which file and source map each script of a trace has, and why not'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "collect" -d 'Receives what pages measure of themselves, and keeps it in files'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "mcp" -d 'Answers coding agents, over the Model Context Protocol on stdio'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "completions" -d 'Completions for a shell'
complete -c proflens -n "__fish_proflens_using_subcommand help; and not __fish_seen_subcommand_from lsp report explain annotate flame compare convert record doctor collect mcp completions help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
