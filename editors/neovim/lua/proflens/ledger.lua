-- The server's status as text: what is shown, where all the time went, and the problems.
local text = require('proflens.text')

local M = {}

---@param status proflens.Status
---@return proflens.TraceStatus?
function M.shown(status)
  return vim.iter(status.traces):find(function(trace)
    return trace.shown
  end)
end

---The threads whose costs are shown, where the trace has several: `main`, or `2 threads`, or `2 of 5 threads`.
---@param trace proflens.TraceStatus
---@return string?
local function threads(trace)
  local shown = vim.tbl_filter(function(thread)
    return thread.shown
  end, trace.threads)
  if #trace.threads < 2 then
    return nil
  elseif #shown == 1 then
    return shown[1].name
  end
  local of = #shown < #trace.threads and (' of %d'):format(#trace.threads) or ''
  return ('%d%s threads'):format(#shown, of)
end

---What is shown, in one line: `app.cpuprofile · 214 samples · 94 % placed`, with the shown threads where there are several,
---and with what it is compared with
---@param status proflens.Status
---@return string
function M.summary(status)
  local trace = M.shown(status)
  if not trace then
    return 'no trace is loaded'
  end
  local parts = { trace.name }
  parts[#parts + 1] = threads(trace)
  if type(trace.scope) == 'string' then
    parts[#parts + 1] = trace.scope
  end
  parts[#parts + 1] = trace.samples.text
  if type(status.ledger) == 'table' then
    parts[#parts + 1] = status.ledger.placed.text .. ' placed'
  end
  if type(status.comparison) == 'table' then
    parts[#parts + 1] = require('proflens.compare').summary(status.comparison)
  end
  if not status.enabled then
    parts[#parts + 1] = 'hidden'
  end
  return table.concat(parts, ' · ')
end

---What the server could not read or use, one or two sentences for each.
---@param status proflens.Status
---@return string[]
function M.problems(status)
  local problems = {}
  for _, trace in ipairs(status.traces) do
    if type(trace.error) == 'string' then
      problems[#problems + 1] = trace.error
    end
  end
  for _, problem in ipairs(status.problems) do
    local place = problem.where ~= '' and problem.where .. ': ' or ''
    problems[#problems + 1] = vim.trim(place .. problem.what .. ' ' .. problem.hint)
  end
  return problems
end

---The parts that add up to the whole recording, the largest first, and the problems.
---@param status proflens.Status
---@return string[]
function M.lines(status)
  local lines = { M.summary(status) }
  if type(status.comparison) == 'table' then
    vim.list_extend(lines, vim.split(status.comparison.sentence, '\n'))
  end
  local ledger = status.ledger
  if type(ledger) == 'table' then
    lines[#lines + 1] = ''
    local rows = vim.list_extend({}, ledger.rows)
    rows[#rows + 1] = { amount = ledger.total, label = 'Altogether', examples = {} }
    local cells = text.columns(vim.tbl_map(function(row)
      return row.amount
    end, rows))
    for at, row in ipairs(rows) do
      local costs = (' %s  %s  '):format(cells[at][1], cells[at][2])
      lines[#lines + 1] = costs .. row.label
      for _, example in ipairs(row.examples) do
        lines[#lines + 1] = (' '):rep(vim.fn.strdisplaywidth(costs) + 2) .. example
      end
    end
  end
  for _, problem in ipairs(M.problems(status)) do
    vim.list_extend(lines, { '', problem })
  end
  if require('proflens.repair').unplaced_prefix(status) then
    vim.list_extend(lines, { '', '`:Proflens map-path` shows how to say where the scripts lie.' })
  end
  if #status.lostMaps > 0 then
    vim.list_extend(lines, { '', '`:Proflens choose-map` shows how to say where the source map is.' })
  end
  return lines
end

---Show the ledger in a float, as a hover is.
---@param status proflens.Status
function M.open(status)
  local trace = M.shown(status)
  local what = trace and trace.unit == 'bytes' and 'memory' or 'time'
  vim.lsp.util.open_floating_preview(M.lines(status), 'text', {
    border = 'rounded',
    focus_id = 'proflens.ledger',
    title = (' Where the %s went '):format(what),
    wrap = false,
  })
end

return M
