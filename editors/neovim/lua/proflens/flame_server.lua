-- The HTTP server behind `:Proflens flame`: gives a page to the browser of this machine, and takes its clicks. It listens
-- from the first page on until it is stopped or Neovim ends.
--
-- Anybody who runs programs or opens pages on this machine can connect. So an address has 128 random bits, the browser
-- must have been sent to this very host (or else a page from elsewhere could reach it under a name of its own), and no
-- page of another origin is answered.
local M = {}

local HOST = '127.0.0.1'
local MAX_HEAD = 16 * 1024
local MAX_BODY = 64 * 1024
local MAX_CONNECTIONS = 32
-- How long a request may take to arrive, how long its answer, and how long its client to close after that.
local REQUEST_MS, ANSWER_MS, CLOSE_MS = 10000, 120000, 1000

local REASONS = {
  [200] = 'OK',
  [204] = 'No Content',
  [400] = 'Bad Request',
  [403] = 'Forbidden',
  [404] = 'Not Found',
  [405] = 'Method Not Allowed',
  [408] = 'Request Timeout',
  [411] = 'Length Required',
  [413] = 'Content Too Large',
  [431] = 'Request Header Fields Too Large',
  [500] = 'Internal Server Error',
  [503] = 'Service Unavailable',
}

---@alias proflens.Respond fun(status: integer, text?: string, type?: string)

---What is served below one token.
---@class proflens.ServedPage
---@field page fun(respond: proflens.Respond) Answers GET of the page
---@field open fun(body: string, respond: proflens.Respond) Answers POST of what was clicked

---@class proflens.HttpHead
---@field method string
---@field target string
---@field fields table<string, string> By names in lower case

---@class proflens.HttpConnection
---@field socket uv.uv_tcp_t
---@field timer uv.uv_timer_t
---@field received string
---@field head? proflens.HttpHead Once it has arrived
---@field expected integer Bytes of the body
---@field is_answered boolean

---@class proflens.FlameServer
---@field tcp uv.uv_tcp_t
---@field host string As the browser names it
---@field pages table<string, proflens.ServedPage> By token
---@field connections table<proflens.HttpConnection, true>

---@type proflens.FlameServer?
local server

---@param handle uv.uv_handle_t
local function close_handle(handle)
  if not handle:is_closing() then
    handle:close()
  end
end

---@param connection proflens.HttpConnection
local function close(connection)
  close_handle(connection.timer)
  close_handle(connection.socket)
  if server then
    server.connections[connection] = nil
  end
end

---@param connection proflens.HttpConnection
---@param status integer
---@param text? string
---@param type? string
---@param allow? string
local function respond(connection, status, text, type, allow)
  if connection.is_answered or connection.socket:is_closing() then
    return
  end
  connection.is_answered = true
  local body = text or ''
  local lines = {
    ('HTTP/1.1 %d %s'):format(status, REASONS[status]),
    'Cache-Control: no-store',
    'Connection: close',
    -- The page has a policy of its own; that nobody may show it in a frame can only be said here.
    "Content-Security-Policy: frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy: same-origin',
    'Referrer-Policy: no-referrer',
    'X-Content-Type-Options: nosniff',
  }
  if status ~= 204 then
    lines[#lines + 1] = ('Content-Type: %s; charset=utf-8'):format(type or 'text/plain')
    lines[#lines + 1] = ('Content-Length: %d'):format(#body)
  end
  if allow then
    lines[#lines + 1] = 'Allow: ' .. allow
  end
  -- A socket that is closed while something unread is in it takes the answer away from the client: what still comes is
  -- read and dropped, until the client closes.
  connection.timer:stop()
  connection.socket:write({ table.concat(lines, '\r\n'), '\r\n\r\n', body }, function(err)
    if err or connection.socket:is_closing() then
      close(connection)
      return
    end
    connection.socket:shutdown()
    connection.timer:start(CLOSE_MS, 0, function()
      close(connection)
    end)
  end)
end

---@param text string
---@return proflens.HttpHead?
local function parse_head(text)
  local lines = vim.split(text, '\r\n', { plain = true })
  local method, target = lines[1]:match('^(%u+) (/[%w%p]*) HTTP/1%.[01]$')
  if not method then
    return nil
  end
  local fields = {}
  for at = 2, #lines do
    local name, value = lines[at]:match('^([%w!#$%%&\'*+.^_`|~-]+):[ \t]*([^%z\r\n]-)[ \t]*$')
    name = name and name:lower()
    -- Which of two is meant is not clear, and none of those that are looked at may come twice.
    if not name or (fields[name] and vim.list_contains({ 'host', 'origin', 'content-length' }, name)) then
      return nil
    end
    fields[name] = value
  end
  return { method = method, target = target, fields = fields }
end

---What is wrong with a request, by its head.
---@param head proflens.HttpHead
---@return proflens.ServedPage? page
---@return { [1]: integer, [2]: string, allow?: string }? problem
local function check(head)
  local current = assert(server)
  local fields = head.fields
  if fields.host ~= current.host then
    return nil, { 403, 'This address is served as ' .. current.host .. ' only.' }
  elseif fields.origin and fields.origin ~= 'http://' .. current.host then
    return nil, { 403, 'No other page may ask.' }
  end
  local token, place = head.target:match('^/([%w_-]+)/(%l*)$')
  local page = token and current.pages[token]
  if not page or not (place == '' or place == 'open') then
    return nil, { 404, 'There is nothing here. `:Proflens flame` opens the page.' }
  end
  local allowed = place == 'open' and 'POST' or 'GET'
  if head.method ~= allowed then
    return nil, { 405, ('Only %s is answered here.'):format(allowed), allow = allowed }
  end
  local length = fields['content-length']
  if fields['transfer-encoding'] or (allowed == 'POST' and not length) then
    return nil, { 411, 'Say the length of the body.' }
  elseif length and not length:find('^%d+$') then
    return nil, { 400, 'The length of the body is not a number.' }
  elseif tonumber(length or 0) > MAX_BODY then
    return nil, { 413, ('More than %d bytes are not read.'):format(MAX_BODY) }
  end
  return page
end

---@param connection proflens.HttpConnection
local function answer(connection)
  local head, body = assert(connection.head), connection.received
  connection.timer:start(ANSWER_MS, 0, function()
    respond(connection, 503, 'The language server does not answer.')
  end)
  -- Handlers ask the editor, which may not be asked in the middle of reading a socket.
  vim.schedule(function()
    local page = server and check(head)
    local function give(status, text, type)
      respond(connection, status, text, type)
    end
    if not page then
      close(connection) -- it was stopped in the meantime
    elseif head.method == 'POST' then
      page.open(body, give)
    else
      page.page(give)
    end
  end)
end

---@param connection proflens.HttpConnection
---@param chunk string
local function receive(connection, chunk)
  if connection.is_answered or connection.expected < 0 then
    return
  end
  connection.received = connection.received .. chunk
  if not connection.head then
    local head_end, body_start = connection.received:find('\r\n\r\n', 1, true)
    if (head_end or #connection.received) > MAX_HEAD then
      respond(connection, 431, ('The head is longer than %d bytes.'):format(MAX_HEAD))
      return
    elseif not head_end then
      return
    end
    local head = parse_head(connection.received:sub(1, head_end - 1))
    if not head then
      respond(connection, 400, 'This is not a request of HTTP/1.1.')
      return
    end
    local _, problem = check(head)
    if problem then
      respond(connection, problem[1], problem[2], nil, problem.allow)
      return
    end
    connection.head = head
    connection.expected = tonumber(head.fields['content-length'] or 0)
    connection.received = connection.received:sub(body_start + 1)
  end
  if #connection.received >= connection.expected then
    connection.received = connection.received:sub(1, connection.expected)
    connection.expected = -1 -- nothing more
    answer(connection)
  end
end

local function accept()
  local current = assert(server)
  local socket = assert(vim.uv.new_tcp())
  if not current.tcp:accept(socket) or vim.tbl_count(current.connections) >= MAX_CONNECTIONS then
    socket:close()
    return
  end
  ---@type proflens.HttpConnection
  local connection = {
    socket = socket,
    timer = assert(vim.uv.new_timer()),
    received = '',
    expected = 0,
    is_answered = false,
  }
  current.connections[connection] = true
  connection.timer:start(REQUEST_MS, 0, function()
    respond(connection, 408, 'The request did not arrive in time.')
  end)
  socket:read_start(function(err, chunk)
    if err or (not chunk and (connection.is_answered or connection.expected >= 0)) then
      close(connection)
    elseif chunk then
      receive(connection, chunk)
    end
  end)
end

---@return proflens.FlameServer? started
---@return string? problem
local function start()
  local tcp = assert(vim.uv.new_tcp())
  local is_bound, problem = tcp:bind(HOST, 0)
  if is_bound then
    is_bound, problem = tcp:listen(MAX_CONNECTIONS, function(err)
      if not err and server then
        accept()
      end
    end)
  end
  if not is_bound then
    tcp:close()
    return nil, problem
  end
  local host = ('%s:%d'):format(HOST, tcp:getsockname().port)
  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = vim.api.nvim_create_augroup('proflens.flame', {}),
    desc = 'Stop serving the flame graph of Proflens',
    callback = M.stop,
  })
  return { tcp = tcp, host = host, pages = {}, connections = {} }
end

---@return string?
local function new_token()
  local bytes = vim.uv.random(16)
  return bytes and (vim.base64.encode(bytes):gsub('=', ''):gsub('+', '-'):gsub('/', '_'))
end

---Serve a page at a new address.
---@param page proflens.ServedPage
---@return { url: string, path: string }? address The path is that of the page, to which `open` is added for clicks
---@return string? problem
function M.add(page)
  local token = new_token()
  if not token then
    return nil, 'this system has no random numbers'
  end
  local problem
  if not server then
    server, problem = start()
  end
  if not server then
    return nil, problem
  end
  server.pages[token] = page
  local path = '/' .. token .. '/'
  return { url = 'http://' .. server.host .. path, path = path }
end

---Stop listening, and forget all pages.
---@return boolean was_listening
function M.stop()
  local stopped = server
  server = nil
  if stopped then
    vim.api.nvim_clear_autocmds({ group = 'proflens.flame' })
    close_handle(stopped.tcp)
    for connection in pairs(stopped.connections) do
      close(connection)
    end
  end
  return stopped ~= nil
end

return M
