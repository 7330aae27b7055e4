-- What each function cost, inside its line.
local client = require('proflens.client')
local config = require('proflens.config')
local follow = require('proflens.follow')

local M = {}

local namespace = vim.api.nvim_create_namespace('proflens.hints')

---@param bufnr integer
function M.clear(bufnr)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
end

---@param bufnr integer
---@param hints lsp.InlayHint[]
---@param encoding string
local function draw(bufnr, hints, encoding)
  M.clear(bufnr)
  for _, hint in ipairs(hints) do
    local row = hint.position.line
    local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
    local chunks = { { hint.label, 'LspInlayHint' } }
    if hint.paddingLeft then
      table.insert(chunks, 1, { ' ' })
    end
    if hint.paddingRight then
      chunks[#chunks + 1] = { ' ' }
    end
    local column = client.byte_column(line, hint.position.character, encoding)
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, column, {
      virt_text = chunks,
      virt_text_pos = 'inline',
      invalidate = true, -- goes with its line
      undo_restore = false, -- the place of one before, which had the same number
    })
  end
end

---Redraw the hints of a buffer.
---@param running vim.lsp.Client
---@param bufnr integer
function M.update(running, bufnr)
  if not config.get().hints then
    M.clear(bufnr)
    return
  end
  local last = vim.api.nvim_buf_line_count(bufnr)
  local range = { start = { line = 0, character = 0 }, ['end'] = { line = last, character = 0 } }
  follow.ask(running, bufnr, 'textDocument/inlayHint', { range = range }, function(hints, problem)
    if not problem then
      draw(bufnr, hints or {}, running.offset_encoding)
    end
  end)
end

return M
