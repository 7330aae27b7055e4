-- Our own requests, what commands take and answer, and which commands there are. Written by `cargo xtask generate` from
-- `proto/ext.rs` and `commands.rs` of the server: change those.
--
-- Amounts, counts and shares bring the text that users read (`Amount`, `Count`, `Share`). The plain numbers beside them
-- are for drawing. Shares lie between 0 and 1 of the base, positions are LSP's.
local M = {}

---The request `proflens/documentCosts`, answered by `DocumentCosts`.
M.DOCUMENT_COSTS = 'proflens/documentCosts'

---The request `proflens/status`, answered by `Status`.
M.STATUS = 'proflens/status'

---The notification `proflens/act` with `ActParams`, for our own clients: run the command of a message's button.
M.ACT = 'proflens/act'

---The request `proflens/callTree`, answered by `CallTree`, or `null` where nothing was measured.
M.CALL_TREE = 'proflens/callTree'

---The request `proflens/hottest`, answered by `HotList`.
M.HOTTEST = 'proflens/hottest'

---The request `proflens/flameGraph`, answered by `FlameGraphData`, or `null` where nothing is shown.
M.FLAME_GRAPH = 'proflens/flameGraph'

---The request `proflens/flamePage`, answered by `FlamePage`, or `null` where nothing is shown.
M.FLAME_PAGE = 'proflens/flamePage'

---The request `proflens/function` with a `DefinitionData` or a place, answered by `FunctionLocation`, or `null` where
---nothing was measured.
M.FUNCTION = 'proflens/function'

---An amount of what was measured: of time, in integer nanoseconds, or of memory. `text` is what users read of it, in
---the unit that they chose: `12.3 ms`, or `~123 ms` if its error is more than a tenth of it; `beside` is what may stand
---beside that: its share of the base, or the amount where `text` is its share.
---@alias proflens.Amount { ns: integer, text: string, beside?: string }|{ bytes: integer, text: string, beside?: string }

---A number of things, and the text of it: `214 samples`.
---@class proflens.Count
---@field number integer
---@field text string

---A part of a whole, 0 to 1, and the text of it: `94 %`.
---@class proflens.Share
---@field part number
---@field text string

---The state of a trace; `found`: it can be loaded.
---@alias proflens.LoadState 'found'|'loading'|'loaded'|'failed'

---`{}`.
---@class proflens.StatusParams

---@class proflens.DocumentCostsParams
---@field textDocument lsp.TextDocumentIdentifier

---@class proflens.FunctionCosts
---@field name string
---@field range lsp.Range
---@field selectionRange lsp.Range
---@field self proflens.Amount
---@field total proflens.Amount
---@field selfNs? integer The same amount as `self`, for clients that only know time
---@field totalNs? integer The same amount as `total`, for clients that only know time
---@field selfSamples integer
---@field totalSamples integer
---@field selfShare number
---@field totalShare number
---@field confidence proflens.Confidence
---@field freshness proflens.Freshness
---@field calls? integer How often it was called, as counted in another run; `null` where that is not known
---@field longTasks? integer The number of tasks of more than 50 ms in which it was seen; `null` where the trace has no events that tell
---@field withoutLine? proflens.Amount The part of `self` that is on none of the lines; `null` where the trace has no lines
---@field change? proflens.CostChange How it changed; `null` unless what is shown is compared with something

---@class proflens.LineCosts
---@field line integer
---@field self proflens.Amount
---@field total proflens.Amount
---@field inlined? proflens.Amount The part of it that is in `self` of other functions, because the engine inlined the line into them; `null` where there is none
---@field selfNs? integer The same amount as `self`, for clients that only know time
---@field totalNs? integer The same amount as `total`, for clients that only know time

---How often a line ran, as counted in another run.
---@class proflens.LineRuns
---@field line integer
---@field times proflens.Count `ran 1,200 times`
---@field isOther boolean Whether a block begins or ends on it: the line of its function before it ran more or less often

---@class proflens.DocumentCosts
---@field version? integer `null` for a document that is not open
---@field unit proflens.Quantity What was measured
---@field functions proflens.FunctionCosts[]
---@field lines proflens.LineCosts[]
---@field ran proflens.LineRuns[] How often lines ran in the run that was counted, as far as that is known; in order
---@field onLines? proflens.Share How much of the sum of all `self` of the functions is on lines; `null` where that sum is 0

---A trace that is loaded, is being loaded, could not be loaded, or was found.
---@class proflens.TraceStatus
---@field uri string
---@field name string
---@field state proflens.LoadState
---@field shown boolean Whether its costs are those that the editor shows
---@field format? string
---@field unit? proflens.Quantity What it measured; `null` unless its costs are shown
---@field samples proflens.Count
---@field duration proflens.Amount 0 where it counts bytes
---@field sessions proflens.Count The recordings in the sum of its costs; 0 where they are not known
---@field threads proflens.ThreadStatus[] The threads from which the user can choose
---@field scope? string The part of it that is shown, in words, such as `1.2 s to 3.4 s, below parse`; `null` where that is all of it
---@field markers proflens.MarkerStatus[] The markers that a window can be made of: those of the program first, the most frequent first
---@field labels string[] The labels of samples that can be chosen, such as `endpoint=/cart`, by key and then the costliest first
---@field hasLines boolean Whether it says on which lines functions ran; false unless its costs are shown
---@field error? string Why it could not be loaded

---Markers of the shown trace: `proflens.window` takes the name.
---@class proflens.MarkerStatus
---@field name string
---@field detail string When it was and how long it took, for people, such as `at 3.2 s, 190 ms`

---A thread of the shown trace: `proflens.selectTrace` takes its name after the trace's URL.
---@class proflens.ThreadStatus
---@field name string
---@field samples proflens.Count
---@field active proflens.Amount The time in which it was active, or the memory that it allocated
---@field shown boolean Whether its costs are those that the editor shows, alone or in a sum

---Where all that the shown trace measured went.
---@class proflens.Ledger
---@field total proflens.Amount
---@field base proflens.Amount What 100 % is
---@field placed proflens.Share How much of that is on functions of the workspace, those of generated files too, in whole percent
---@field rows proflens.LedgerRow[] They add up to `total`; those of the base come first, each by its size

---A line of the ledger that is not empty.
---@class proflens.LedgerRow
---@field why string What it is: `placed`, `generated` (on functions of generated files, whose source maps are missing), `idle`, `no-stack`, or the name of a reason, such as `gc`; there may be new ones
---@field label string The same as users read it
---@field amount proflens.Amount
---@field examples string[] Resources or names to which it applies

---A source map that was not used, so that functions stay in the generated file.
---@class proflens.LostMap
---@field generated string The generated file
---@field wanted string The path or URL at which the map is expected
---@field reason? string Why it was not used; `null` where it does not exist
---@field self proflens.Amount What the functions of that file cost, without what they called

---@class proflens.Status
---@field enabled boolean
---@field unit proflens.Unit How costs are shown; `time` stands for what was measured, also for bytes
---@field base proflens.Base
---@field traces proflens.TraceStatus[]
---@field recording? integer The number of what is shown, which changes with the trace, its threads and its scope; `null` where nothing is
---@field ledger? proflens.Ledger
---@field lostMaps proflens.LostMap[] Sorted by cost, the largest first
---@field problems proflens.Problem[]
---@field comparison? proflens.ComparisonStatus What the shown trace is compared with; `null` where it is with nothing

---A caller or callee of a function: `uri` is `null` where it is not in the workspace.
---@class proflens.Call
---@field name string
---@field uri? string
---@field selectionRange? lsp.Range
---@field total proflens.Amount
---@field share number Of the base

---What `proflens.showCallers` answers with; `null` where nothing was measured.
---@class proflens.Callers
---@field name string
---@field self proflens.Amount
---@field total proflens.Amount
---@field callers proflens.Call[]
---@field callees proflens.Call[]

---What `proflens.showCallers` takes: the arguments of a lens, or a place in a document.
---@alias proflens.CallersParams proflens.DefinitionData|{ textDocument: lsp.TextDocumentIdentifier, position: lsp.Position }

---The definition of a lens that was clicked.
---@class proflens.DefinitionData
---@field uri string
---@field path string Its path in the document's outline

---@class proflens.ActParams
---@field action string The command without `proflens.`: `mapPath`, `chooseMap` or `showLog`

---From a function to those that called it, or to those that it called.
---@alias proflens.CallDirection 'callers'|'callees'

---@class proflens.CallTreeParams
---@field function proflens.CallersParams The function at the root of the tree
---@field direction proflens.CallDirection
---@field path? integer[] The keys of the items that lead to the node, from the root; none for the root itself
---@field recording? integer The recording from whose answer the keys are. If another one is shown by now, the answer is the error `ContentModified`

---A node of a call tree: the items, `others` and `ends` add up to `total`.
---@class proflens.CallTree
---@field recording integer
---@field name string The name of the function at the root
---@field function proflens.DefinitionData
---@field total proflens.Amount What flows through the node
---@field share number Of the base, like all shares of the tree
---@field ends proflens.Amount What ends in the node: of callees what it cost itself, of callers what nothing called (an event, a timer)
---@field endsShare number
---@field endsName string What to call that, and what it means: `(entry)`, or `(focus)` where callers are outside of what is looked at
---@field endsAbout string
---@field items proflens.CallTreeItem[] Hottest first
---@field others? proflens.OtherCalls What is not among the items, where there are more than 1,000; else `null`

---Callers or callees that cost less than those that are listed, all of them together.
---@class proflens.OtherCalls
---@field count integer
---@field total proflens.Amount
---@field samples proflens.Count
---@field share number

---A caller or callee in a call tree.
---@class proflens.CallTreeItem
---@field key integer What names it in paths
---@field name string
---@field description? string Where it is, or what it is, if it is not a function of the workspace
---@field function? proflens.DefinitionData `null` where it is not a function of the workspace
---@field uri? string
---@field selectionRange? lsp.Range
---@field total proflens.Amount
---@field samples proflens.Count
---@field share number

---What a list is ordered by: `self` or `total` time, or `difference` to what is compared with, those that changed for
---certain first. By difference there are functions only, those that are gone too; without a comparison it is by self
---time.
---@alias proflens.HotBy 'self'|'total'|'difference'

---What a row of a list is.
---@alias proflens.HotGroup 'function'|'file'|'folder'

---@class proflens.HottestParams
---@field by? proflens.HotBy
---@field group? proflens.HotGroup
---@field filter? string Only rows whose name or path has this text, in any case
---@field limit? integer How many rows; 0 for all of them

---@class proflens.HotList
---@field recording? integer The recording; `null` where no trace is shown
---@field count integer How many rows there are without the limit
---@field items proflens.HotItem[] Hottest first
---@field folders proflens.FolderShare[] Of a list of files: the folders around them, except those of the workspace

---What all files below a folder have of the base.
---@class proflens.FolderShare
---@field uri string
---@field self proflens.Share

---A row of a list: a function, a file or a folder; the functions are also what `proflens.showHottest` answers with.
---@class proflens.HotItem
---@field name string
---@field uri string
---@field path string The path from its workspace folder
---@field selectionRange? lsp.Range `null` for files and folders
---@field function? proflens.DefinitionData `null` for files and folders
---@field self proflens.Amount
---@field total proflens.Amount
---@field selfShare number
---@field totalShare number
---@field selfSamples proflens.Count
---@field totalSamples proflens.Count
---@field calls? proflens.Count How often it was called, as counted in another run; `null` where that is not known, and for files and folders
---@field change? proflens.HotChange How it changed; `null` unless the order is by difference

---What `proflens.focus` takes.
---@class proflens.FocusParams
---@field function? proflens.FocusedFunction By its place, or by its name; not needed for a package or a path
---@field how proflens.FocusHow
---@field package? string The package to collapse
---@field node? proflens.CallTreeParams The node of a call tree to which the path leads

---A function by its place, or by its name: `parse`, `Parser.parse`, `src/a.ts:parse`.
---@alias proflens.FocusedFunction string|proflens.CallersParams

---What to look at: what is `below` a function, its `callers`, all but the samples with it (`drop`), all with its time
---given to its callers (`merge`), a package as one function (`collapse`), or what flows through a node of a call tree
---(`path`).
---@alias proflens.FocusHow 'below'|'callers'|'drop'|'merge'|'collapse'|'path'

---What `proflens.window` takes: two moments since the start of the recording (`1.2s`, `300ms`, seconds, `end`), of
---which one is enough, or the names of markers, or labels (`endpoint=/cart`), which leave a window that was chosen
---before as it is.
---@class proflens.WindowParams
---@field from? string
---@field to? string
---@field markers? string[]
---@field labels? string[]

---`{}`.
---@class proflens.FlameGraphParams

---What is shown, as a flame graph.
---@class proflens.FlameGraphData
---@field recording integer
---@field data string Its bytes (docs/flame.md) in base64

---For an editor that serves the page to a browser.
---@class proflens.FlamePageParams
---@field editor string The path to which the page sends what is to be opened

---What is shown, as the page that `proflens flame` writes.
---@class proflens.FlamePage
---@field recording integer
---@field html string

---A measured function, and where it is now.
---@class proflens.FunctionLocation
---@field function proflens.DefinitionData
---@field uri string
---@field selectionRange lsp.Range

---What `proflens.compareWith` takes: the side before, by its files or by a commit. The side after is what is shown.
---@class proflens.CompareParams
---@field before? proflens.ComparedWith
---@field rev? string The commit, branch or tag whose recordings are meant

---`previous`, which is the recording before the shown one, or paths or `file:` URLs: each file is a run, and each file
---of a folder.
---@alias proflens.ComparedWith string|string[]

---How a cost changed.
---@class proflens.CostChange
---@field verdict proflens.Verdict
---@field text string With its sign: `▲38 %`, `▼12 %`, `▲×2.4`, `new`; `▲38 %?` where it is only possible; `+3 %` where there is not enough data
---@field ratio? number After divided by before; `null` where there was nothing before

---A function of a comparison in a list. All texts are ready for people.
---@class proflens.HotChange
---@field verdict proflens.Verdict
---@field isShown boolean Whether hints show it too: it changed, if only possibly, or it is new or gone and cost enough to say so
---@field words string The verdict in a word or two, and why, as far as calls tell: `slower`, `slower: more calls`, `not enough data`
---@field before string `12.3 ms`
---@field after string `17.0 ms`
---@field text string `▲38 %`, as in `CostChange`
---@field ratio? number After divided by before; `null` where there was nothing before
---@field which string Which of its times these are: `self` or `total`
---@field interval? string The interval of the change: `+30 % to +46 %`; `null` where it is not known

---What is compared, and what came out.
---@class proflens.ComparisonStatus
---@field title string What it is compared with: `yesterday.cpuprofile`, or the name of a folder
---@field beforePaths string[]
---@field beforeRuns integer
---@field afterRuns integer
---@field method proflens.Method
---@field slower integer The numbers of functions that changed for certain
---@field faster integer
---@field maybeSlower integer The numbers of functions that possibly changed, in fewer than three runs a side
---@field maybeFaster integer
---@field unsure integer The number of functions of which there is not enough data to tell
---@field active proflens.ActiveChange All of it
---@field sentence string What is compared, by what it is judged and what came out, in a few sentences: one a line

---How all of what is shown changed.
---@class proflens.ActiveChange
---@field text string `+3.8 %`
---@field verdict proflens.Verdict

---The unit of the numbers of hints and lenses.
---@alias proflens.Unit 'time'|'percent'|'samples'

---What 100 % is, of all threads in scope.
---@alias proflens.Base 'active'|'all'

---What the weights of a profile count.
---@alias proflens.Quantity 'time'|'bytes'

---How certain a place is; the best first.
---@alias proflens.Confidence 'exact'|'snapped'|'name'

---How well a measured cost fits today's text.
---@alias proflens.Freshness 'fresh'|'moved'|'edited'|'gone'

---What differences are judged by.
---@alias proflens.Method 'runs'|'one-against-many'|'sampling'|'none'

---The verdict on a change.
---@alias proflens.Verdict 'regression'|'improvement'|'possible-regression'|'possible-improvement'|'shifted'|'new'|'gone'|'not-comparable'|'unchanged'|'unsure'

---What is wrong, where, and what to do about it.
---Each part is a clause that begins in lower case, but for names, and ends without a full stop, so that a note can say
---`app.json: 3 samples name nodes that do not exist; their time is counted as unknown`, and an error two sentences.
---@class proflens.Problem
---@field what string What is wrong: `3 samples name nodes that do not exist`
---@field where string The trace, file or resource in which it is wrong; empty if `what` says so itself, or until the name is known
---@field hint string What the user can do, or what was done instead: `their time is counted as unknown`. Empty if there is nothing to do

---@class proflens.Command
---@field id? string The server's command, without `proflens.`; none where the plugin needs no server
---@field argument? string What may follow
---@field here boolean Whether the plugin does it, or shows what the server answers

---@type table<string, proflens.Command> Sub-command of `:Proflens` -> what it is
M.commands = {
  load = { id = 'loadTrace', argument = 'file', here = false },
  unload = { id = 'unloadTrace', argument = 'file', here = false },
  select = { id = 'selectTrace', argument = 'file', here = true },
  focus = { id = 'focus', argument = 'how] [name', here = true },
  window = { id = 'window', argument = 'from] [to', here = true },
  all = { id = 'clearScope', here = false },
  unit = { id = 'cycleUnit', argument = 'unit', here = false },
  toggle = { id = 'toggle', here = false },
  hot = { id = 'showHottest', argument = 'what', here = true },
  ledger = { id = 'showLedger', here = true },
  callers = { id = 'showCallers', here = true },
  flame = { id = 'showFlameGraph', argument = 'file', here = true },
  compare = { id = 'compareWith', argument = 'before', here = false },
  ['compare-off'] = { id = 'stopComparing', here = false },
  ['map-path'] = { id = 'mapPath', argument = 'folder', here = true },
  ['choose-map'] = { id = 'chooseMap', argument = 'file', here = true },
  restart = { id = 'restart', here = true },
  log = { id = 'showLog', here = true },
  record = { argument = 'command', here = false },
  previous = { here = false },
  callees = { here = false },
  threads = { argument = 'name ...', here = false },
  lines = { here = false },
  next = { argument = 'n', here = false },
  prev = { argument = 'n', here = false },
}

return M
