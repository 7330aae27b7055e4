-- The self time of each line at its right, for `:Proflens lines`.
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

---@param bufnr integer
---@param costs? proflens.DocumentCosts Without any, nothing is drawn
function M.draw(bufnr, costs)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  local lines = costs and costs.lines or {}
  local cells = text.columns(vim.tbl_map(function(cost)
    return cost.self
  end, lines))
  for at, cost in ipairs(lines) do
    local whole = base(costs, cost.line)
    local share = whole and text.count(cost.self) / whole
    local group = share and highlights.of(share) or 'ProflensNote'
    local label = cells[at][1] .. '  ' .. cells[at][2]
    vim.api.nvim_buf_set_extmark(bufnr, namespace, math.min(cost.line, last), 0, {
      virt_text = { { label .. ' ', group } },
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
