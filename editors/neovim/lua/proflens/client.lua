-- The client: finds the server, starts and restarts it and sends it requests, on Neovim 0.10 to 0.12.
local config = require('proflens.config')

local M = {}

M.name = 'proflens'

---@type string[]
M.filetypes = { 'javascript', 'javascriptreact', 'typescript', 'typescriptreact', 'vue', 'svelte', 'html' }

local has_enable = vim.lsp.enable ~= nil -- Neovim 0.11

---@param message string
---@param level? integer
function M.notify(message, level)
  vim.notify('proflens: ' .. message, level or vim.log.levels.INFO)
end

---The command that starts the server, without the word `lsp`.
---@return string[]? command
---@return string? problem What is wrong, and what to do about it
function M.command()
  local cmd = config.get().cmd
  local command = type(cmd) == 'string' and { cmd } or cmd or { 'proflens' }
  ---@cast command string[]
  command = vim.deepcopy(command)
  command[1] = vim.fs.normalize(tostring(command[1]))
  if vim.fn.executable(command[1]) == 1 then
    return command
  elseif cmd then
    return nil, ('vim.g.proflens.cmd names %s, which cannot be run.'):format(command[1])
  end
  return nil, 'the server was not found: install `proflens` on your PATH, or set vim.g.proflens.cmd to where it is.'
end

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

---@param bufnr integer
---@return boolean
local function is_source(bufnr)
  return vim.bo[bufnr].buftype == ''
    and vim.api.nvim_buf_get_name(bufnr) ~= ''
    and vim.list_contains(M.filetypes, vim.bo[bufnr].filetype)
end

---Whether the server can be run; if not, notifies the user once of the reason.
---@return boolean
local function can_run()
  local command, problem = M.command()
  if not command then
    vim.notify_once('proflens: ' .. problem, vim.log.levels.WARN)
  end
  return command ~= nil
end

local refresh_hints = 'workspace/inlayHint/refresh'
local refresh_lenses = 'workspace/codeLens/refresh'

---The client's configuration, as |vim.lsp.config()| and |vim.lsp.start()| take it.
---@return table
function M.config()
  local options = config.get()
  local cmd = M.command() or { 'proflens' }
  -- An empty Lua table would be sent as a list.
  local settings = next(options.settings) and options.settings or vim.empty_dict()
  cmd[#cmd + 1] = 'lsp'

  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = { proflens = { ui = true } } -- this plugin shows lists of functions
  capabilities.workspace.codeLens = { refreshSupport = true } -- 0.10 and 0.11 do not announce it; display.lua does it for them

  return {
    name = M.name,
    cmd = cmd,
    filetypes = M.filetypes,
    capabilities = capabilities,
    init_options = settings,
    settings = { proflens = settings },
    root_dir = function(bufnr, on_dir)
      if is_source(bufnr) and can_run() then
        on_dir(M.root(bufnr))
      end
    end,
    on_attach = function(client, bufnr)
      require('proflens.display').attach(client, bufnr)
    end,
    on_init = function()
      require('proflens.commands').register()
    end,
    on_exit = function(_, _, client_id)
      vim.schedule(function()
        M.on_exit(client_id)
      end)
    end,
    handlers = {
      [refresh_hints] = function(_, _, context)
        return require('proflens.display').refresh_hints(context.client_id)
      end,
      [refresh_lenses] = function(err, result, context, ...)
        return require('proflens.display').refresh_lenses(err, result, context, ...)
      end,
      ['window/showMessageRequest'] = function(_, params)
        return require('proflens.commands').show_message_request(params)
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
  if not (is_source(bufnr) and can_run()) then
    return
  end
  -- What the user set with vim.lsp.config() holds here too.
  local start = vim.deepcopy(has_enable and vim.lsp.config[M.name] or M.config())
  if type(start.root_dir) ~= 'function' then
    vim.lsp.start(start, { bufnr = bufnr })
    return
  end
  start.root_dir(bufnr, function(root)
    start.root_dir = root
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
    vim.lsp.enable(M.name)
  end
  M.start(bufnr) -- for 0.10, and for a file that was opened before `enable` began to watch
end

---The client for a request: that of the current buffer, or else any that runs.
---@return vim.lsp.Client?
function M.get()
  return vim.lsp.get_clients({ name = M.name, bufnr = 0 })[1] or vim.lsp.get_clients({ name = M.name })[1]
end

---The client for a request; if there is none, notifies the user what to do.
---@return vim.lsp.Client?
function M.get_or_notify()
  local client = M.get()
  if not client then
    local _, problem = M.command()
    M.notify(problem or 'no server runs: open a JavaScript or TypeScript file first.', vim.log.levels.WARN)
  end
  return client
end

-- Methods of a client took no `self` before 0.11.
local has_methods = vim.fn.has('nvim-0.11') == 1

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param handler lsp.Handler
---@param bufnr? integer
function M.request(client, method, params, handler, bufnr)
  if has_methods then
    client:request(method, params, handler, bufnr)
  else
    client.request(method, params, handler, bufnr)
  end
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param bufnr? integer
---@param timeout? integer In milliseconds
---@return any? result
---@return string? problem
function M.request_sync(client, method, params, bufnr, timeout)
  local answer, problem
  if has_methods then
    answer, problem = client:request_sync(method, params, timeout or 1000, bufnr or 0)
  else
    answer, problem = client.request_sync(method, params, timeout or 1000, bufnr or 0)
  end
  if not answer then
    return nil, 'the server did not answer (' .. tostring(problem) .. ').'
  elseif answer.err then
    return nil, answer.err.message
  end
  return answer.result
end

---Run one of the server's commands. Its errors go to the user, its result to `on_result`.
---@param name string The command without `proflens.`
---@param arguments any[]
---@param on_result? fun(result: any, client: vim.lsp.Client)
function M.execute(name, arguments, on_result)
  local client = M.get_or_notify()
  if not client then
    return
  end
  local params = { command = 'proflens.' .. name, arguments = arguments }
  M.request(client, 'workspace/executeCommand', params, function(err, result)
    if err then
      M.notify(err.message, vim.log.levels.ERROR)
    elseif on_result then
      on_result(result ~= vim.NIL and result or nil, client)
    end
  end)
end

---@type table<integer, integer[]> Client that is being stopped -> buffers that want a new one
local restarting = {}

---@param client vim.lsp.Client
---@param force? boolean
local function stop(client, force)
  if has_methods then
    client:stop(force)
  else
    client.stop(force)
  end
end

---Stop every server of this plugin and start it again for the same buffers.
function M.restart()
  local clients = vim.lsp.get_clients({ name = M.name })
  if #clients == 0 then
    M.start(vim.api.nvim_get_current_buf())
  end
  for _, client in ipairs(clients) do
    restarting[client.id] = vim.tbl_keys(client.attached_buffers)
    stop(client)
    vim.defer_fn(function()
      if restarting[client.id] then
        stop(client, true) -- it did not stop by itself
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
