-- The server: its configuration for Neovim, and how it is started and restarted, on Neovim 0.10 to 0.12.
local client = require('proflens.client')
local config = require('proflens.config')
local program = require('proflens.program')
local workspace = require('proflens.workspace')

local M = {}

---@type string[]
M.filetypes = { 'javascript', 'javascriptreact', 'typescript', 'typescriptreact', 'vue', 'svelte', 'astro', 'html', 'mdx' }

local has_enable = vim.lsp.enable ~= nil -- Neovim 0.11

-- Methods of a client took no `self` before 0.11.
local has_methods = vim.fn.has('nvim-0.11') == 1

---@param bufnr integer
---@return boolean
local function is_source(bufnr)
  return vim.bo[bufnr].buftype == ''
    and vim.api.nvim_buf_get_name(bufnr) ~= ''
    and vim.list_contains(M.filetypes, vim.bo[bufnr].filetype)
end

---@type table<string, string[]> Workspace folder -> the command for its server, without the word `lsp`
local commands = {}

---The workspace folder of a buffer whose server can be run; if it cannot, notifies the user once of the reason.
---@param bufnr integer
---@return string?
local function runnable_root(bufnr)
  local command, problem = program.command(bufnr)
  if not command then
    vim.notify_once('proflens: ' .. problem, vim.log.levels.WARN)
    return nil
  end
  local root = workspace.root(bufnr)
  commands[root] = command
  return root
end

---Start the process of the server for a workspace folder: each may have a program of its own.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param resolved? { root_dir?: string, cmd_cwd?: string, cmd_env?: table<string, string> } Not given by 0.10
---@return vim.lsp.rpc.PublicClient
local function spawn(dispatchers, resolved)
  resolved = resolved or {}
  local command = vim.list_extend({}, commands[resolved.root_dir] or program.command() or { 'proflens' })
  command[#command + 1] = 'lsp'
  return vim.lsp.rpc.start(command, dispatchers, { cwd = resolved.cmd_cwd, env = resolved.cmd_env })
end

---The client's configuration, as |vim.lsp.config()| and |vim.lsp.start()| take it.
---@return table
function M.config()
  local options = config.get()
  -- Where there are no lenses, hints have the words.
  local settings = vim.tbl_deep_extend('keep', options.settings, options.lens and {} or { lens = { enable = false } })
  if not next(settings) then
    settings = vim.empty_dict() -- an empty Lua table would be sent as a list
  end

  local capabilities = vim.lsp.protocol.make_client_capabilities()
  -- This plugin shows lists of functions, and hovers can name the command for the costs of lines.
  capabilities.experimental =
    { proflens = { ui = true, lineCosts = '`:Proflens lines` shows or hides the cost of each line.' } }
  capabilities.textDocument.codeLens = { dynamicRegistration = false } -- 0.10 does not announce them
  capabilities.workspace.codeLens = { refreshSupport = false } -- they are asked for with the hints
  -- Neovim prefers UTF-8, but all servers of a buffer should count alike, and those of TypeScript count in UTF-16.
  capabilities.general.positionEncodings = { 'utf-16' }

  return {
    name = client.name,
    cmd = spawn,
    filetypes = M.filetypes,
    capabilities = capabilities,
    -- Servers that are sent edits share what Neovim knows of the text, which is not true any more when one of them was
    -- restarted and a file is read again (0.10): costs would be at other functions, and Neovim has errors.
    flags = { allow_incremental_sync = false },
    init_options = settings,
    settings = { proflens = settings },
    root_dir = function(bufnr, on_dir)
      local root = is_source(bufnr) and runnable_root(bufnr)
      if root then
        on_dir(root)
      end
    end,
    on_init = function(running)
      require('proflens.display').take_over(running)
    end,
    on_attach = function(running, bufnr)
      require('proflens.display').attach(running, bufnr)
    end,
    on_exit = function(_, _, client_id)
      vim.schedule(function()
        M.on_exit(client_id)
      end)
    end,
    handlers = {
      ['workspace/inlayHint/refresh'] = function(_, _, context)
        return require('proflens.display').refresh(context.client_id)
      end,
      ['window/showMessageRequest'] = function(_, params)
        return require('proflens.messages').show_request(params)
      end,
      ['window/logMessage'] = function(err, result, context, ...)
        require('proflens.log').add(result)
        return vim.lsp.handlers['window/logMessage'](err, result, context, ...)
      end,
    },
  }
end

---Start the server for a buffer, or attach the buffer to one that runs for its workspace folder.
---@param bufnr integer
function M.start(bufnr)
  if not (is_source(bufnr) and runnable_root(bufnr)) then
    return
  end
  -- What the user set with vim.lsp.config() holds here too.
  local start = vim.deepcopy(has_enable and vim.lsp.config[client.name] or M.config())
  if type(start.root_dir) ~= 'function' then
    vim.lsp.start(start, { bufnr = bufnr })
    return
  end
  start.root_dir(bufnr, function(root)
    start.root_dir = root
    if start.cmd == spawn then
      start.cmd = function(dispatchers) -- 0.10 would not say for which folder
        return spawn(dispatchers, start)
      end
    end
    vim.lsp.start(start, { bufnr = bufnr })
  end)
end

---Start the server with the first JavaScript or TypeScript file, unless `vim.g.proflens.autostart` is false.
---@param bufnr integer
function M.autostart(bufnr)
  if not config.get().autostart then
    return
  end
  if has_enable then
    -- From now on Neovim itself starts it for files, as if the user had called `vim.lsp.enable('proflens')`.
    vim.api.nvim_clear_autocmds({ group = 'proflens.autostart' })
    vim.lsp.enable(client.name)
  end
  M.start(bufnr) -- for 0.10, and for a file that was opened before `enable` began to watch
end

---@type table<integer, integer[]> Client that is being stopped -> buffers that want a new one
local restarting = {}

---@param running vim.lsp.Client
---@param force? boolean
local function stop(running, force)
  if has_methods then
    running:stop(force)
  else
    running.stop(force)
  end
end

---Stop every server of this plugin and start it again for the same buffers.
function M.restart()
  local clients = vim.lsp.get_clients({ name = client.name })
  if #clients == 0 then
    M.start(vim.api.nvim_get_current_buf())
  end
  for _, running in ipairs(clients) do
    restarting[running.id] = vim.tbl_keys(running.attached_buffers)
    stop(running)
    vim.defer_fn(function()
      if restarting[running.id] then
        stop(running, true) -- it did not stop by itself
      end
    end, 2000)
  end
end

---@param client_id integer
function M.on_exit(client_id)
  if vim.lsp.get_client_by_id(client_id) then
    -- Neovim still has it in its list of clients and would attach the buffers to it again.
    vim.defer_fn(function()
      M.on_exit(client_id)
    end, 10)
    return
  end
  local buffers = restarting[client_id]
  restarting[client_id] = nil
  for _, bufnr in ipairs(buffers or {}) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      M.start(bufnr)
    end
  end
end

return M
