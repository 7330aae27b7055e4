---@meta
-- The server's own requests and the results of its commands. They mirror `server/proflens/src/proto/ext.rs`, in the
-- same order; the two change together. Times are nanoseconds in fields that end in `Ns`; where the shown trace counts
-- bytes, those fields end in `Bytes` and `ns` is `bytes`, all but `durationNs` (`text.amount` reads both). Shares lie between 0 and 1 of the base, positions are
-- those of LSP, in the encoding agreed with the server.

---What `proflens/documentCosts { textDocument }` answers with.
---@class proflens.DocumentCosts
---@field version? integer
---@field unit 'time'|'bytes' What was measured
---@field functions proflens.FunctionCosts[]
---@field lines proflens.LineCosts[]

---@class proflens.FunctionCosts
---@field name string
---@field range lsp.Range
---@field selectionRange lsp.Range
---@field selfNs integer
---@field totalNs integer
---@field selfSamples integer
---@field totalSamples integer
---@field selfShare number
---@field totalShare number
---@field confidence 'exact'|'snapped'|'name'
---@field freshness 'fresh'|'moved'|'edited'|'gone'
---@field calls? integer An estimate, like the two below
---@field longestCallNs? integer
---@field longTasks? integer In how many tasks of more than 50 ms it was called

---@class proflens.LineCosts
---@field line integer
---@field selfNs integer
---@field totalNs integer

---A trace that is loaded, is being loaded, could not be, or was found and is offered.
---@class proflens.TraceStatus
---@field uri string
---@field name string
---@field state 'loaded'|'loading'|'failed'|'found'
---@field shown boolean Whether its costs are those that the editor shows
---@field format? string
---@field unit? 'time'|'bytes' What it measured
---@field samples integer
---@field durationNs integer 0 where it counts bytes
---@field sessions integer The number of recordings of which its costs are the sum; 0 where they are not known
---@field threads proflens.ThreadStatus[] Those among which there is a choice
---@field error? string Why it could not be loaded

---A thread of the shown trace: `proflens.selectTrace` takes its name behind the trace's URL.
---@class proflens.ThreadStatus
---@field name string
---@field samples integer
---@field activeNs integer Time in which it did something
---@field shown boolean Whether its costs are those that the editor shows, alone or in a sum

---@class proflens.Unplaced
---@field why string
---@field ns integer
---@field samples integer
---@field examples string[]

---Where all the time of the shown trace went: `totalNs` is the sum of all below it but `baseNs`, `generatedNs`.
---@class proflens.Ledger
---@field totalNs integer
---@field baseNs integer What 100 % is
---@field placedNs integer
---@field generatedNs integer The part of `placedNs` that stays in generated files for want of their source maps
---@field idleNs integer
---@field noStackNs integer
---@field unplaced proflens.Unplaced[]

---A source map that was not used, so that functions stay where they were built.
---@class proflens.LostMap
---@field generated string The file that was built
---@field wanted string The path or URL at which the map ought to be
---@field reason? string Why it was not used; missing where it is not there
---@field ns integer Own time of the functions of that file

---@class proflens.Problem
---@field what string
---@field where string
---@field hint string

---What `proflens/status {}` answers with.
---@class proflens.Status
---@field enabled boolean
---@field unit 'time'|'percent'|'samples' How costs are shown; `time` is what was measured, bytes too
---@field base 'active'|'all'
---@field traces proflens.TraceStatus[]
---@field ledger? proflens.Ledger
---@field lostMaps proflens.LostMap[] The one that costs most first
---@field problems proflens.Problem[]

---A measured function of the workspace: `proflens.showHottest` answers with a list of these, hottest first.
---@class proflens.HotFunction
---@field name string
---@field uri string
---@field selectionRange lsp.Range
---@field selfNs integer
---@field totalNs integer
---@field selfShare number
---@field totalShare number
---@field totalSamples integer

---Who called a function, or whom it called; without `uri` where the place is not in the workspace.
---@class proflens.Call
---@field name string
---@field uri? string
---@field selectionRange? lsp.Range
---@field totalNs integer
---@field share number Of the function's total time

---What `proflens.showCallers` answers with.
---@class proflens.Callers
---@field name string
---@field selfNs integer
---@field totalNs integer
---@field callers proflens.Call[]
---@field callees proflens.Call[]

---What `proflens.showCallers` takes: what a lens carries, or a place in a document.
---@alias proflens.CallersParams proflens.DefinitionData|lsp.TextDocumentPositionParams

---The definition that a hint or a lens is about.
---@class proflens.DefinitionData
---@field uri string
---@field path string
