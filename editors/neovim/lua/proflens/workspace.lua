-- Which folder is the workspace of a buffer.
local config = require('proflens.config')

local M = {}

---The workspace folder of a buffer.
---@param bufnr integer
---@return string
function M.root(bufnr)
  local options = config.get()
  local root = options.root_dir
  if type(root) == 'function' then
    root = root(bufnr)
  end
  if type(root) == 'string' then
    return vim.fs.normalize(root)
  end
  for _, markers in ipairs(options.root_markers) do
    local found = vim.fs.root(bufnr, markers)
    if found then
      return found
    end
  end
  local file = vim.api.nvim_buf_get_name(bufnr)
  return file ~= '' and vim.fs.dirname(file) or assert(vim.uv.cwd())
end

return M
