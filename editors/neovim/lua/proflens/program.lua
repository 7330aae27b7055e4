-- Where the server's program is. The order is that of |proflens-program|: what is set, the project's own,
-- mason's, the PATH.
local config = require('proflens.config')
local workspace = require('proflens.workspace')

local M = {}

local is_windows = vim.fn.has('win32') == 1

---What npm, pnpm and yarn call the program in `node_modules/.bin`, and mason in its own folder.
local LAUNCHER = is_windows and 'proflens.cmd' or 'proflens'

---@param file string
---@return boolean
local function can_run(file)
  return vim.fn.executable(file) == 1
end

---The folders whose `node_modules` are the project's: from that of the file up to its repository or workspace folder,
---whichever is further up. What lies above may be anybody's, and its programs are not run.
---@param bufnr integer
---@return string[]
local function folders_of_project(bufnr)
  local root = workspace.root(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  local is_file = name ~= '' and vim.bo[bufnr].buftype == ''
  local first = is_file and vim.fs.dirname(vim.fs.normalize(name)) or root
  local top = vim.fs.root(root, '.git') or root
  if first ~= top and not vim.startswith(first, top:gsub('/$', '') .. '/') then
    first = root -- a file from elsewhere
  end
  local folders = { first }
  for folder in vim.fs.parents(first) do
    if #folder < #top then
      break
    end
    folders[#folders + 1] = folder
  end
  return folders
end

---The program that the project of a buffer installed, the nearest first.
---@param bufnr integer
---@return string?
local function of_project(bufnr)
  for _, folder in ipairs(folders_of_project(bufnr)) do
    local program = vim.fs.joinpath(folder, 'node_modules', '.bin', LAUNCHER)
    if can_run(program) then
      return program
    end
  end
end

---The program that mason installed. Its folder is on Neovim's PATH only where mason was told so.
---@return string?
local function of_mason()
  local program = vim.fs.joinpath(vim.fn.stdpath('data'), 'mason', 'bin', LAUNCHER)
  return can_run(program) and vim.fs.normalize(program) or nil
end

---The command that the user set with |vim.lsp.config()|, without the word `lsp`. The plugin's own is a function.
---@return string[]?
local function of_lsp_config()
  local client = vim.lsp.enable and vim.lsp.config.proflens -- Neovim 0.11
  if not client or type(client.cmd) ~= 'table' then
    return nil
  end
  local command = vim.deepcopy(client.cmd) --[=[@as string[]]=]
  if command[#command] == 'lsp' then
    command[#command] = nil
  end
  return command
end

---@param command string[]
---@param origin string
---@return string[]? command
---@return string? problem
---@return string? origin
local function checked(command, origin)
  command[1] = vim.fs.normalize(tostring(command[1]))
  if can_run(command[1]) then
    return command, nil, origin
  end
  return nil, ('%s names %s, which cannot be run.'):format(origin, command[1])
end

---The command that starts the server, without the word `lsp`.
---@param bufnr? integer A buffer of the project, the current one by default
---@return string[]? command
---@return string? problem What is wrong, and what to do about it
---@return string? origin Where it was found
function M.command(bufnr)
  local of_user = of_lsp_config()
  if of_user then
    return checked(of_user, "vim.lsp.config('proflens')")
  end
  local cmd = config.get().cmd
  if cmd then
    local command = type(cmd) == 'string' and { cmd } or vim.deepcopy(cmd)
    ---@cast command string[]
    return checked(command, 'vim.g.proflens.cmd')
  end
  local program = of_project(bufnr or vim.api.nvim_get_current_buf())
  if program then
    return { program }, nil, "the project's node_modules"
  end
  program = of_mason()
  if program then
    return { program }, nil, 'mason'
  elseif can_run('proflens') then
    return { 'proflens' }, nil, 'the PATH'
  end
  return nil, 'the server was not found: `npm install -g proflens`, or `:MasonInstall proflens`, or set vim.g.proflens.cmd to where it is.'
end

return M
