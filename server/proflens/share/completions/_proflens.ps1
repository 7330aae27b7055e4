
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'proflens' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'proflens'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'proflens' {
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'Also write the log to this file')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--stdio', '--stdio', [CompletionResultType]::ParameterName, 'Accepted because editors pass it; there is no other way to connect')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('lsp', 'lsp', [CompletionResultType]::ParameterValue, 'The language server on stdin and stdout, as editors start it')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'The hottest functions, and where the rest of the time went')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'A recording in a few paragraphs, for coding agents')
            [CompletionResult]::new('annotate', 'annotate', [CompletionResultType]::ParameterValue, 'A source text with its costs, as an editor would show them')
            [CompletionResult]::new('flame', 'flame', [CompletionResultType]::ParameterValue, 'A flame graph of traces, as one page or picture')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'What changed between traces, and whether that is more than noise')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'A trace in the format of another tool, with names of the source')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Runs a command, records it, and shows what was hot')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Which file and source map each script of a trace has, and why not')
            [CompletionResult]::new('collect', 'collect', [CompletionResultType]::ParameterValue, 'Receives what pages measure of themselves, and keeps it in files')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Answers coding agents, over the Model Context Protocol on stdio')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Completions for a shell')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'proflens;lsp' {
            [CompletionResult]::new('--log', '--log', [CompletionResultType]::ParameterName, 'Also write the log to this file')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--stdio', '--stdio', [CompletionResultType]::ParameterName, 'Accepted because editors pass it; there is no other way to connect')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proflens;report' {
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Order by self or total time')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'How many functions to list; 0 lists all')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print')
            [CompletionResult]::new('--base', '--base', [CompletionResultType]::ParameterName, 'What 100 % is: active leaves out idle time and samples without a stack')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace folder; the current folder if not given')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)')
            [CompletionResult]::new('--runner-caches', '--runner-caches', [CompletionResultType]::ParameterName, 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)')
            [CompletionResult]::new('--thread', '--thread', [CompletionResultType]::ParameterName, 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript')
            [CompletionResult]::new('--between', '--between', [CompletionResultType]::ParameterName, 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds')
            [CompletionResult]::new('--marker', '--marker', [CompletionResultType]::ParameterName, 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)')
            [CompletionResult]::new('--callers-of', '--callers-of', [CompletionResultType]::ParameterName, 'Only who called this function, which gets the time of all that it called (repeatable)')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)')
            [CompletionResult]::new('--drop', '--drop', [CompletionResultType]::ParameterName, 'Leave out the samples in which this function ran (repeatable)')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Give the time of this function to its callers (repeatable)')
            [CompletionResult]::new('--collapse', '--collapse', [CompletionResultType]::ParameterName, 'Make the functions of this package one (repeatable)')
            [CompletionResult]::new('--counts', '--counts', [CompletionResultType]::ParameterName, 'How often functions were called in another run of the same program: a file or folder that NODE_V8_COVERAGE wrote')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--all', '--all', [CompletionResultType]::ParameterName, 'Also list the functions that were not placed')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'In JSON, also list the self time of each line')
            [CompletionResult]::new('--dependencies', '--dependencies', [CompletionResultType]::ParameterName, 'Count code below node_modules as workspace code')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proflens;explain' {
            [CompletionResult]::new('--function', '--function', [CompletionResultType]::ParameterName, 'Only this function, by its name or by a line in it: parse, Parser.parse, src/parser.ts:23')
            [CompletionResult]::new('--max-tokens', '--max-tokens', [CompletionResultType]::ParameterName, 'About how long the text is, counted as one token for four bytes')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace folder; the current folder if not given')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)')
            [CompletionResult]::new('--runner-caches', '--runner-caches', [CompletionResultType]::ParameterName, 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)')
            [CompletionResult]::new('--thread', '--thread', [CompletionResultType]::ParameterName, 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript')
            [CompletionResult]::new('--between', '--between', [CompletionResultType]::ParameterName, 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds')
            [CompletionResult]::new('--marker', '--marker', [CompletionResultType]::ParameterName, 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)')
            [CompletionResult]::new('--callers-of', '--callers-of', [CompletionResultType]::ParameterName, 'Only who called this function, which gets the time of all that it called (repeatable)')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)')
            [CompletionResult]::new('--drop', '--drop', [CompletionResultType]::ParameterName, 'Leave out the samples in which this function ran (repeatable)')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Give the time of this function to its callers (repeatable)')
            [CompletionResult]::new('--collapse', '--collapse', [CompletionResultType]::ParameterName, 'Make the functions of this package one (repeatable)')
            [CompletionResult]::new('--counts', '--counts', [CompletionResultType]::ParameterName, 'How often functions were called in another run of the same program: a file or folder that NODE_V8_COVERAGE wrote')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--dependencies', '--dependencies', [CompletionResultType]::ParameterName, 'Count code below node_modules as workspace code')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proflens;annotate' {
            [CompletionResult]::new('--trace', '--trace', [CompletionResultType]::ParameterName, 'The traces, or folders of runs, which are added up; - is stdin; the newest recording or trace of the workspace if none is named')
            [CompletionResult]::new('--threshold', '--threshold', [CompletionResultType]::ParameterName, 'Percent of the active time that a function''s total must reach')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace folder; the current folder if not given')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)')
            [CompletionResult]::new('--runner-caches', '--runner-caches', [CompletionResultType]::ParameterName, 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)')
            [CompletionResult]::new('--thread', '--thread', [CompletionResultType]::ParameterName, 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript')
            [CompletionResult]::new('--between', '--between', [CompletionResultType]::ParameterName, 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds')
            [CompletionResult]::new('--marker', '--marker', [CompletionResultType]::ParameterName, 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)')
            [CompletionResult]::new('--callers-of', '--callers-of', [CompletionResultType]::ParameterName, 'Only who called this function, which gets the time of all that it called (repeatable)')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)')
            [CompletionResult]::new('--drop', '--drop', [CompletionResultType]::ParameterName, 'Leave out the samples in which this function ran (repeatable)')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Give the time of this function to its callers (repeatable)')
            [CompletionResult]::new('--collapse', '--collapse', [CompletionResultType]::ParameterName, 'Make the functions of this package one (repeatable)')
            [CompletionResult]::new('--counts', '--counts', [CompletionResultType]::ParameterName, 'How often functions were called in another run of the same program: a file or folder that NODE_V8_COVERAGE wrote')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--lines', '--lines', [CompletionResultType]::ParameterName, 'Also show the self time of each line, before the line, and how often it ran where that was counted')
            [CompletionResult]::new('--dependencies', '--dependencies', [CompletionResultType]::ParameterName, 'Count code below node_modules as workspace code')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proflens;flame' {
            [CompletionResult]::new('--before', '--before', [CompletionResultType]::ParameterName, 'Compare with this trace, or with the traces in a folder, that were recorded before (repeatable). Frames are coloured by how much they changed; several traces of a side are runs, of which the mean is shown')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The file to write: a page (.html) or a picture (.svg); if not given, a page with the name of the first trace')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'The file to write: a page (.html) or a picture (.svg); if not given, a page with the name of the first trace')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace folder; the current folder if not given')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)')
            [CompletionResult]::new('--runner-caches', '--runner-caches', [CompletionResultType]::ParameterName, 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)')
            [CompletionResult]::new('--thread', '--thread', [CompletionResultType]::ParameterName, 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript')
            [CompletionResult]::new('--between', '--between', [CompletionResultType]::ParameterName, 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds')
            [CompletionResult]::new('--marker', '--marker', [CompletionResultType]::ParameterName, 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)')
            [CompletionResult]::new('--callers-of', '--callers-of', [CompletionResultType]::ParameterName, 'Only who called this function, which gets the time of all that it called (repeatable)')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)')
            [CompletionResult]::new('--drop', '--drop', [CompletionResultType]::ParameterName, 'Leave out the samples in which this function ran (repeatable)')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Give the time of this function to its callers (repeatable)')
            [CompletionResult]::new('--collapse', '--collapse', [CompletionResultType]::ParameterName, 'Make the functions of this package one (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--open', '--open', [CompletionResultType]::ParameterName, 'Open it, in the browser')
            [CompletionResult]::new('--dependencies', '--dependencies', [CompletionResultType]::ParameterName, 'Count code below node_modules as workspace code')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proflens;compare' {
            [CompletionResult]::new('--before', '--before', [CompletionResultType]::ParameterName, 'Traces or a folder before; it need not exist, as in the first run of a CI job: then there is nothing to compare, and no error')
            [CompletionResult]::new('--after', '--after', [CompletionResultType]::ParameterName, 'Traces or a folder after (repeatable)')
            [CompletionResult]::new('--before-rev', '--before-rev', [CompletionResultType]::ParameterName, 'Before: the recordings in .proflens/recordings of this commit, branch or tag; after is then the newest recording, if not named')
            [CompletionResult]::new('--per', '--per', [CompletionResultType]::ParameterName, 'What times are divided by: machine (how fast the machine was, as all functions together tell), run (nothing), call (how often each function was called, where that was counted on both sides), active (the active time), function:NAME (the time of something that did not change), marker:NAME (how often it was set, such as requests)')
            [CompletionResult]::new('--noise', '--noise', [CompletionResultType]::ParameterName, 'With one run a side: how much runs are taken to differ without a cause (one standard deviation)')
            [CompletionResult]::new('--fail-on-regression', '--fail-on-regression', [CompletionResultType]::ParameterName, 'Ends with status 3 if a function, or all of it, got slower by at least this much, and that is more than noise')
            [CompletionResult]::new('--by', '--by', [CompletionResultType]::ParameterName, 'Which time of functions is listed; auto is the one that tells most of what changed')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'How many functions to list; 0 lists all; if not given 20, and all in JSON')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print')
            [CompletionResult]::new('--link-base', '--link-base', [CompletionResultType]::ParameterName, 'In Markdown, functions are links to their lines below this address: https://github.com/me/app/blob/main')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace folder; the current folder if not given')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)')
            [CompletionResult]::new('--runner-caches', '--runner-caches', [CompletionResultType]::ParameterName, 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)')
            [CompletionResult]::new('--thread', '--thread', [CompletionResultType]::ParameterName, 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript')
            [CompletionResult]::new('--between', '--between', [CompletionResultType]::ParameterName, 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds')
            [CompletionResult]::new('--marker', '--marker', [CompletionResultType]::ParameterName, 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)')
            [CompletionResult]::new('--callers-of', '--callers-of', [CompletionResultType]::ParameterName, 'Only who called this function, which gets the time of all that it called (repeatable)')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)')
            [CompletionResult]::new('--drop', '--drop', [CompletionResultType]::ParameterName, 'Leave out the samples in which this function ran (repeatable)')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Give the time of this function to its callers (repeatable)')
            [CompletionResult]::new('--collapse', '--collapse', [CompletionResultType]::ParameterName, 'Make the functions of this package one (repeatable)')
            [CompletionResult]::new('--before-counts', '--before-counts', [CompletionResultType]::ParameterName, 'How often functions were called in a run of the side before: a file or folder that NODE_V8_COVERAGE wrote')
            [CompletionResult]::new('--after-counts', '--after-counts', [CompletionResultType]::ParameterName, 'The same of the side after')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--dependencies', '--dependencies', [CompletionResultType]::ParameterName, 'Count code below node_modules as workspace code')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proflens;convert' {
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'The format to write; if not given, what the ending of FILE says')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Where to write, instead of stdout; what ends in .gz is compressed')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Where to write, instead of stdout; what ends in .gz is compressed')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'Write the names and places that functions have in this folder, through source maps')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)')
            [CompletionResult]::new('--runner-caches', '--runner-caches', [CompletionResultType]::ParameterName, 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)')
            [CompletionResult]::new('--thread', '--thread', [CompletionResultType]::ParameterName, 'Only this thread of each trace, by its name, a part of it that no other has, or its number from 1 (repeatable); all adds up every thread. Without it: the main thread and the threads of its process that ran JavaScript')
            [CompletionResult]::new('--between', '--between', [CompletionResultType]::ParameterName, 'Only this part of each recording, counted from its first sample: 1.2s 3.4s, 300ms end, or seconds')
            [CompletionResult]::new('--marker', '--marker', [CompletionResultType]::ParameterName, 'Only while this marker lasts: a user timing, a navigation, a long task; NAME#2 for the second one (repeatable)')
            [CompletionResult]::new('--label', '--label', [CompletionResultType]::ParameterName, 'Only samples with this label, such as endpoint=/cart; those without it: endpoint=. Several values of one key add to each other, different keys narrow (repeatable)')
            [CompletionResult]::new('--focus', '--focus', [CompletionResultType]::ParameterName, 'Only what this function and those that it called cost; where several are called so: FILE:NAME (repeatable)')
            [CompletionResult]::new('--callers-of', '--callers-of', [CompletionResultType]::ParameterName, 'Only who called this function, which gets the time of all that it called (repeatable)')
            [CompletionResult]::new('--path', '--path', [CompletionResultType]::ParameterName, 'Only what this path of calls cost, the functions from a caller to what it called: main > run > parse (repeatable)')
            [CompletionResult]::new('--drop', '--drop', [CompletionResultType]::ParameterName, 'Leave out the samples in which this function ran (repeatable)')
            [CompletionResult]::new('--merge', '--merge', [CompletionResultType]::ParameterName, 'Give the time of this function to its callers (repeatable)')
            [CompletionResult]::new('--collapse', '--collapse', [CompletionResultType]::ParameterName, 'Make the functions of this package one (repeatable)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--dependencies', '--dependencies', [CompletionResultType]::ParameterName, 'Count code below node_modules as workspace code')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'proflens;record' {
            [CompletionResult]::new('--attach', '--attach', [CompletionResultType]::ParameterName, 'Record what runs already: the number of a process of Node, HOST:PORT or ws://… of an inspector')
            [CompletionResult]::new('--page', '--page', [CompletionResultType]::ParameterName, 'Open this page in a Chrome, Chromium or Edge with a profile of its own, and record it')
            [CompletionResult]::new('--browser', '--browser', [CompletionResultType]::ParameterName, 'With --page: the browser to start')
            [CompletionResult]::new('--interval', '--interval', [CompletionResultType]::ParameterName, 'Time between two samples, with its unit: 1ms, 200us')
            [CompletionResult]::new('--duration', '--duration', [CompletionResultType]::ParameterName, 'Record for this long, while the program runs on: 10s, 100ms')
            [CompletionResult]::new('--delay', '--delay', [CompletionResultType]::ParameterName, 'Begin after this time')
            [CompletionResult]::new('--heap', '--heap', [CompletionResultType]::ParameterName, 'Record sampled allocations instead of time: those still in use at the end, or all, also those that were collected')
            [CompletionResult]::new('--only', '--only', [CompletionResultType]::ParameterName, 'Only processes whose command line holds this text, in which * stands for anything')
            [CompletionResult]::new('--repeat', '--repeat', [CompletionResultType]::ParameterName, 'Run the command this many times, and record each run: what `proflens compare` asks for')
            [CompletionResult]::new('--against', '--against', [CompletionResultType]::ParameterName, 'Also run the command in another version, by turns with this one, and compare the two: a commit, branch or tag of git, or another folder. --repeat says how many runs there are of each, 10 if not given')
            [CompletionResult]::new('--setup', '--setup', [CompletionResultType]::ParameterName, 'With --against: run this in a shell first, in both versions: ''npm ci && npm run build''')
            [CompletionResult]::new('--until-sure', '--until-sure', [CompletionResultType]::ParameterName, 'With --against: run as often as it takes until every function with 3 % of the time or more has certainly changed, or has changed by less than this')
            [CompletionResult]::new('--max-runs', '--max-runs', [CompletionResultType]::ParameterName, 'With --until-sure: this many runs of each version at most')
            [CompletionResult]::new('--max-time', '--max-time', [CompletionResultType]::ParameterName, 'With --until-sure: begin no more runs after this time')
            [CompletionResult]::new('--fail-on-regression', '--fail-on-regression', [CompletionResultType]::ParameterName, 'With --against: end with status 3 if a function, or all of it, got slower by at least this much, and that is more than noise')
            [CompletionResult]::new('--warmup', '--warmup', [CompletionResultType]::ParameterName, 'With --repeat or --against: run the command this many times first, without keeping a recording')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Where to write the recording, or with --repeat and --against the folder for those of all runs, which is added to; below .proflens/recordings if not given')
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'Where to write the recording, or with --repeat and --against the folder for those of all runs, which is added to; below .proflens/recordings if not given')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace folder; the current folder if not given')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)')
            [CompletionResult]::new('--runner-caches', '--runner-caches', [CompletionResultType]::ParameterName, 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--allow-remote', '--allow-remote', [CompletionResultType]::ParameterName, 'With --attach: also on another machine')
            [CompletionResult]::new('--headless', '--headless', [CompletionResultType]::ParameterName, 'With --page: show no window')
            [CompletionResult]::new('--counts', '--counts', [CompletionResultType]::ParameterName, 'Run the command once more, and count in that run how often each function is called')
            [CompletionResult]::new('--deopts', '--deopts', [CompletionResultType]::ParameterName, 'Run the command once more, and have V8 log in that run which functions it optimises, which it gives up again, and why')
            [CompletionResult]::new('--dependencies', '--dependencies', [CompletionResultType]::ParameterName, 'Count code below node_modules as workspace code')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            break
        }
        'proflens;doctor' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to print')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace folder; the current folder if not given')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)')
            [CompletionResult]::new('--runner-caches', '--runner-caches', [CompletionResultType]::ParameterName, 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--dependencies', '--dependencies', [CompletionResultType]::ParameterName, 'Count code below node_modules as workspace code')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proflens;collect' {
            [CompletionResult]::new('--listen', '--listen', [CompletionResultType]::ParameterName, 'Where to listen: an address and a port, or a port of this machine alone; 0 takes a free one')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'The folder for the files')
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'The folder for the files')
            [CompletionResult]::new('--origin', '--origin', [CompletionResultType]::ParameterName, 'An origin whose pages may send: https://shop.example (repeatable)')
            [CompletionResult]::new('--max-body', '--max-body', [CompletionResultType]::ParameterName, 'The largest trace, as it is sent and unpacked')
            [CompletionResult]::new('--rotate-size', '--rotate-size', [CompletionResultType]::ParameterName, 'Begin another file from this size on')
            [CompletionResult]::new('--rotate-every', '--rotate-every', [CompletionResultType]::ParameterName, 'Begin another file from this age on')
            [CompletionResult]::new('--max-disk', '--max-disk', [CompletionResultType]::ParameterName, 'All files together: traces are refused from there on')
            [CompletionResult]::new('--rate', '--rate', [CompletionResultType]::ParameterName, 'How many traces a second are taken')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--sync', '--sync', [CompletionResultType]::ParameterName, 'Acknowledge a trace only when the disk has it: none is lost without power either')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proflens;mcp' {
            [CompletionResult]::new('--allow-record', '--allow-record', [CompletionResultType]::ParameterName, 'Let the agent run exactly this command, without a shell, to record it (repeatable)')
            [CompletionResult]::new('--setup', '--setup', [CompletionResultType]::ParameterName, 'What a shell runs in both versions before the agent records them by turns, such as ''npm ci''')
            [CompletionResult]::new('--workspace', '--workspace', [CompletionResultType]::ParameterName, 'The workspace folder; the current folder if not given')
            [CompletionResult]::new('--map', '--map', [CompletionResultType]::ParameterName, 'Where the scripts of an address lie, from the current folder: http://localhost:3000/=public/ (repeatable)')
            [CompletionResult]::new('--runner-caches', '--runner-caches', [CompletionResultType]::ParameterName, 'Read the caches of these runners, which lie outside of the workspace: tsx, jest, babel (@babel/register)')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('--dependencies', '--dependencies', [CompletionResultType]::ParameterName, 'Count code below node_modules as workspace code')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proflens;completions' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours; auto is on a terminal, unless NO_COLOR is set')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help')
            break
        }
        'proflens;help' {
            [CompletionResult]::new('lsp', 'lsp', [CompletionResultType]::ParameterValue, 'The language server on stdin and stdout, as editors start it')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'The hottest functions, and where the rest of the time went')
            [CompletionResult]::new('explain', 'explain', [CompletionResultType]::ParameterValue, 'A recording in a few paragraphs, for coding agents')
            [CompletionResult]::new('annotate', 'annotate', [CompletionResultType]::ParameterValue, 'A source text with its costs, as an editor would show them')
            [CompletionResult]::new('flame', 'flame', [CompletionResultType]::ParameterValue, 'A flame graph of traces, as one page or picture')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'What changed between traces, and whether that is more than noise')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'A trace in the format of another tool, with names of the source')
            [CompletionResult]::new('record', 'record', [CompletionResultType]::ParameterValue, 'Runs a command, records it, and shows what was hot')
            [CompletionResult]::new('doctor', 'doctor', [CompletionResultType]::ParameterValue, 'Which file and source map each script of a trace has, and why not')
            [CompletionResult]::new('collect', 'collect', [CompletionResultType]::ParameterValue, 'Receives what pages measure of themselves, and keeps it in files')
            [CompletionResult]::new('mcp', 'mcp', [CompletionResultType]::ParameterValue, 'Answers coding agents, over the Model Context Protocol on stdio')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Completions for a shell')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'proflens;help;lsp' {
            break
        }
        'proflens;help;report' {
            break
        }
        'proflens;help;explain' {
            break
        }
        'proflens;help;annotate' {
            break
        }
        'proflens;help;flame' {
            break
        }
        'proflens;help;compare' {
            break
        }
        'proflens;help;convert' {
            break
        }
        'proflens;help;record' {
            break
        }
        'proflens;help;doctor' {
            break
        }
        'proflens;help;collect' {
            break
        }
        'proflens;help;mcp' {
            break
        }
        'proflens;help;completions' {
            break
        }
        'proflens;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
