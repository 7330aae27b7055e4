-- `:Proflens previous`: goes to the trace that was shown before, and back.
local client = require('proflens.client')

local M = {}

---@type string?, string? The traces that were shown last and before that, as URLs
local last, before

---Remember what is shown. Called whenever it may have changed.
---@param status proflens.Status
function M.saw(status)
  for _, trace in ipairs(status.traces) do
    if trace.shown and trace.uri ~= last then
      last, before = trace.uri, last
    end
  end
end

---The trace that was shown before; of those that nobody has looked at yet, the next older one.
---@param status proflens.Status
---@return proflens.TraceStatus?
local function find(status)
  local traces = vim.tbl_filter(function(trace)
    return trace.state ~= 'failed'
  end, status.traces)
  local shown = 0
  for at, trace in ipairs(traces) do
    shown = trace.shown and at or shown
  end
  for _, trace in ipairs(traces) do
    if trace.uri == before and not trace.shown then
      return trace
    end
  end
  return traces[shown + 1] or traces[shown - 1]
end

---@param status proflens.Status
function M.show(status)
  M.saw(status)
  local trace = find(status)
  if trace then
    client.execute('selectTrace', { trace.uri })
  else
    client.notify('there is only one recording.')
  end
end

return M
