-- The heat of functions: the line number of a measured function has the colour of its share, and there is a sign if the
-- user wants one. While something is compared, colours and signs are those of what changed for certain.
local config = require('proflens.config')
local highlights = require('proflens.highlights')

local M = {}

local namespace = vim.api.nvim_create_namespace('proflens.heat')

---@param bufnr integer
---@param costs? proflens.DocumentCosts Without any, nothing is drawn
function M.draw(bufnr, costs)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local options = config.get().heat
  if not costs or not (options.number or options.signs) then
    return
  end
  local hottest = {} ---@type table<integer, proflens.FunctionCosts> Row -> the hottest function that begins there
  for _, cost in ipairs(costs.functions) do
    local row = cost.selectionRange.start.line
    if not hottest[row] or cost.selfShare > hottest[row].selfShare then
      hottest[row] = cost
    end
  end
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  for row, cost in pairs(hottest) do
    local group, sign = highlights.of(cost.selfShare), '▎'
    if cost.change then
      group, sign = require('proflens.compare').mark(cost.change)
    end
    if group then
      vim.api.nvim_buf_set_extmark(bufnr, namespace, math.min(row, last), 0, {
        number_hl_group = options.number and group or nil,
        sign_text = options.signs and sign or nil,
        sign_hl_group = options.signs and group or nil,
        invalidate = true, -- goes with its line
        undo_restore = false, -- the place of one before, which had the same number
        priority = 5, -- below diagnostics and other signs
      })
    end
  end
end

return M
