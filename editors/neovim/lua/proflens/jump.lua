-- Moves the cursor from one hot function of the buffer to the next.
local client = require('proflens.client')
local config = require('proflens.config')
local protocol = require('proflens.protocol')

local M = {}

---The costs of a buffer's functions, in the order of the text.
---@param bufnr integer
---@return proflens.FunctionCosts[]? functions
---@return vim.lsp.Client? running
local function measured(bufnr)
  local running = client.get_or_notify()
  if not running then
    return
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  local costs, problem = client.request_sync(running, protocol.DOCUMENT_COSTS, params, bufnr)
  if problem then
    client.notify(problem, vim.log.levels.ERROR)
    return
  end
  local functions = costs and costs.functions or {}
  table.sort(functions, function(a, b)
    local left, right = a.selectionRange.start, b.selectionRange.start
    return left.line < right.line or left.line == right.line and left.character < right.character
  end)
  return functions, running
end

---Move the cursor by a number of hot functions, past the end of the buffer to its start if 'wrapscan' is set.
---A function is hot when its total reaches the threshold of the settings.
---@param steps integer Backward if negative
function M.move(steps)
  local functions, running = measured(0)
  if not functions or not running then
    return
  end
  local threshold = (config.get().settings.threshold or 0.5) / 100
  ---@type [integer, integer][] Rows from 1 and byte columns from 0, as of cursors
  local places = {}
  for _, measure in ipairs(functions) do
    if measure.totalShare >= threshold then
      local start = measure.selectionRange.start
      local line = vim.api.nvim_buf_get_lines(0, start.line, start.line + 1, false)[1] or ''
      places[#places + 1] = { start.line + 1, client.byte_column(line, start.character, running.offset_encoding) }
    end
  end
  if #places == 0 then
    client.notify('no function of this buffer is hot.')
    return
  end

  local cursor = vim.api.nvim_win_get_cursor(0)
  local before, at = 0, false
  for _, place in ipairs(places) do
    if place[1] < cursor[1] or place[1] == cursor[1] and place[2] < cursor[2] then
      before = before + 1
    elseif place[1] == cursor[1] and place[2] == cursor[2] then
      at = true
    end
  end
  local target = before + steps + ((steps < 0 or at) and 1 or 0)
  if target < 1 or target > #places then
    if not vim.o.wrapscan then
      client.notify(steps > 0 and 'no hot function below.' or 'no hot function above.')
      return
    end
    target = (target - 1) % #places + 1
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, places[target])
  vim.cmd('normal! zv')
end

return M
