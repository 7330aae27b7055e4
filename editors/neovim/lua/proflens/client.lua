-- The client: sends the server requests, on Neovim 0.10 to 0.12.
local program = require('proflens.program')

local M = {}

M.name = 'proflens'

---@param message string
---@param level? integer
function M.notify(message, level)
  vim.notify('proflens: ' .. message, level or vim.log.levels.INFO)
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
    local _, problem = program.command()
    M.notify(problem or 'no server runs: open a JavaScript or TypeScript file first.', vim.log.levels.WARN)
  end
  return client
end

-- Before 0.11, methods of a client took no `self`, and functions of columns no encoding.
local has_methods = vim.fn.has('nvim-0.11') == 1

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param handler lsp.Handler
---@param bufnr? integer
---@return boolean is_sent
function M.request(client, method, params, handler, bufnr)
  local is_sent
  if has_methods then
    is_sent = client:request(method, params, handler, bufnr)
  else
    is_sent = client.request(method, params, handler, bufnr)
  end
  return is_sent
end

---An answer with nil in place of JSON's null, which Neovim keeps as a value of its own.
---@generic T
---@param value T
---@return T?
local function without_null(value)
  if value == vim.NIL then
    return nil
  elseif type(value) ~= 'table' then
    return value
  end
  local plain = {}
  for key, inner in pairs(value) do
    plain[key] = without_null(inner)
  end
  return plain
end

---Send one of our own requests. The answer, where there is one, has no nulls. Without a server there is an error.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param on_answer fun(answer: any?, err?: lsp.ResponseError)
---@param bufnr? integer
function M.ask(client, method, params, on_answer, bufnr)
  local is_sent = M.request(client, method, params, function(err, answer)
    on_answer(without_null(answer), err)
  end, bufnr)
  if not is_sent then
    on_answer(nil, { code = vim.lsp.protocol.ErrorCodes.InternalError, message = 'no server runs.' })
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
  if not bufnr or bufnr == 0 then
    bufnr = vim.api.nvim_get_current_buf() -- of buffer 0, Neovim would not send what was just typed
  end
  local answer, problem
  if has_methods then
    answer, problem = client:request_sync(method, params, timeout or 1000, bufnr)
  else
    answer, problem = client.request_sync(method, params, timeout or 1000, bufnr)
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

---A column of a line in bytes.
---@param line string
---@param column integer As the server counts
---@param encoding string The one agreed with the server
---@return integer
function M.byte_column(line, column, encoding)
  if encoding == 'utf-8' then
    return math.min(column, #line)
  elseif has_methods then
    return vim.str_byteindex(line, encoding, column, false)
  end
  local _, utf16 = vim.str_utfindex(line)
  return vim.str_byteindex(line, math.min(column, utf16), true)
end

return M
