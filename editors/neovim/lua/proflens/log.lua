-- The server's messages for `:Proflens log`. They are kept here because Neovim's own log is shared by all servers
-- and leaves out whatever is not a warning.
local M = {}

local limit = 2000

---@type string[]
local lines = {}

local levels = { 'error', 'warning', 'info', 'log', 'debug' }

---@type integer?
local buffer

---@param bufnr integer
---@param from integer
---@param to integer
---@param text string[]
local function set_lines(bufnr, from, to, text)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, from, to, false, text)
  vim.bo[bufnr].modifiable = false
end

---@return boolean
local function is_open()
  return buffer ~= nil and vim.api.nvim_buf_is_valid(buffer)
end

---@param message { type: integer, message: string }
function M.add(message)
  local prefix = ('%s [%s] '):format(os.date('%H:%M:%S'), levels[message.type] or 'log')
  local new = vim.split(prefix .. message.message, '\n', { plain = true, trimempty = true })
  vim.list_extend(lines, new)
  if #lines > limit then
    lines = vim.list_slice(lines, #lines - limit / 2)
    if is_open() then
      set_lines(buffer, 0, -1, lines)
    end
  elseif is_open() then
    local is_first = #lines == #new
    set_lines(buffer, is_first and 0 or -1, -1, new)
  end
end

---Show the log in a window below, which is updated while it is open.
function M.open()
  if not is_open() then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, 'proflens://log')
    vim.bo[buffer].bufhidden = 'hide'
    vim.bo[buffer].filetype = 'log'
    set_lines(buffer, 0, -1, lines)
  end
  local window = vim.fn.bufwinid(buffer)
  if window == -1 then
    vim.cmd('botright sbuffer ' .. buffer)
    window = vim.api.nvim_get_current_win()
  end
  vim.api.nvim_set_current_win(window)
  vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(buffer), 0 })
end

return M
