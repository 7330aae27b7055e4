-- The heat of functions: the line number of a measured function has the colour of its share, and there is a sign if the
-- user wants one.
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
  local hottest = {} ---@type table<integer, number> Row -> the largest share of a function that begins there
  for _, cost in ipairs(costs.functions) do
    local row = cost.selectionRange.start.line
    hottest[row] = math.max(hottest[row] or 0, cost.selfShare)
  end
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  for row, share in pairs(hottest) do
    local group = highlights.of(share)
    vim.api.nvim_buf_set_extmark(bufnr, namespace, math.min(row, last), 0, {
      number_hl_group = options.number and group or nil,
      sign_text = options.signs and '▎' or nil,
      sign_hl_group = options.signs and group or nil,
      priority = 5, -- below diagnostics and other signs
    })
  end
end

return M
