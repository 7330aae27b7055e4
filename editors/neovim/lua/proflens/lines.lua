-- The self time of each line at its right, and how often it ran where that was counted, for `:Proflens lines`.
local highlights = require('proflens.highlights')
local text = require('proflens.text')

local M = {}

local namespace = vim.api.nvim_create_namespace('proflens.lines')

-- 0.10 cannot put it after a long line, only over it.
local POSITION = vim.fn.has('nvim-0.11') == 1 and 'eol_right_align' or 'right_align'

---What 100 % is on a line: the base of the innermost measured function around it.
---@param costs proflens.DocumentCosts
---@param line integer
---@return number?
local function base(costs, line)
  local inner, size ---@type proflens.FunctionCosts?, integer?
  for _, cost in ipairs(costs.functions) do
    local from, to = cost.range.start.line, cost.range['end'].line
    if cost.selfShare > 0 and from <= line and line <= to and (not size or to - from <= size) then
      inner, size = cost, to - from
    end
  end
  return inner and text.count(inner.self) / inner.selfShare
end

---The labels of the lines with a cost, and of those on which it changes how often code ran, in columns.
---@param costs proflens.DocumentCosts
---@return table<integer, { label: string, cost?: proflens.LineCosts }> By line
local function labels(costs)
  local cells = text.columns(vim.tbl_map(function(cost)
    return cost.self
  end, costs.lines))
  local found, width = {}, 0
  for at, cost in ipairs(costs.lines) do
    found[cost.line] = { label = cells[at][1] .. '  ' .. cells[at][2], cost = cost }
    width = vim.fn.strdisplaywidth(found[cost.line].label)
  end
  local runs, longest = {}, 0 ---@type table<integer, string>, integer
  for _, ran in ipairs(costs.ran) do
    if found[ran.line] or ran.isOther then
      runs[ran.line] = ran.times.text
      longest = math.max(longest, #ran.times.text)
    end
  end
  for line, ran in pairs(runs) do
    local known = found[line] or { label = (' '):rep(width) }
    found[line] = { label = ('%s  %s'):format(known.label, ran), cost = known.cost }
  end
  for line, shown in pairs(found) do
    local missing = longest > 0 and longest - #(runs[line] or '') + (runs[line] and 0 or 2) or 0
    shown.label = shown.label .. (' '):rep(missing)
  end
  return found
end

---@param bufnr integer
---@param costs? proflens.DocumentCosts Without any, nothing is drawn
function M.draw(bufnr, costs)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  for line, shown in pairs(costs and labels(costs) or {}) do
    local whole = costs and shown.cost and base(costs, line)
    local share = whole and text.count(shown.cost.self) / whole
    local group = share and highlights.of(share) or 'ProflensNote'
    vim.api.nvim_buf_set_extmark(bufnr, namespace, math.min(line, last), 0, {
      virt_text = { { shown.label .. ' ', group } },
      virt_text_pos = POSITION,
      hl_mode = 'combine',
      invalidate = true, -- goes with its line
      undo_restore = false, -- the place of one before, which had the same number
    })
  end
end

---What there is to say about the lines of a buffer, a sentence.
---@param costs proflens.DocumentCosts
---@param status proflens.Status
---@return string
function M.sentence(costs, status)
  local trace = require('proflens.ledger').shown(status)
  local what = costs.unit == 'bytes' and 'memory' or 'self time'
  if not trace then
    return 'no trace is loaded; `:Proflens load {file}` takes any.'
  elseif #costs.functions == 0 then
    return 'no function of this file was measured, so that no line has a cost.'
  elseif #costs.lines == 0 and #costs.ran > 0 then
    return 'the lines say how often they ran; the trace does not say what they cost.'
  elseif type(costs.onLines) ~= 'table' then
    return 'the functions of this file cost nothing themselves, so that no line has a cost.'
  elseif #costs.lines > 0 then
    if costs.onLines.part >= 1 then
      return ('all %s of this file is on lines.'):format(what)
    end
    local sentence = '%s of the %s of this file is on lines; of the rest the trace does not say on which, or its function was '
      .. 'edited.'
    return sentence:format(costs.onLines.text, what)
  end
  for _, cost in ipairs(costs.functions) do
    if text.count(cost.self) > 0 and (cost.freshness == 'fresh' or cost.freshness == 'moved') then
      local sentence = '%s does not say on which lines its %s is; a `.cpuprofile` of Node.js or Chrome does.'
      return sentence:format(trace.name, what)
    end
  end
  return 'the functions of this file were edited since they were measured, so that no line has a cost.'
end

return M
