-- `:Proflens flame`: the page in a browser, the way back to the definition, and who else asks the server of the page.
local t = ...

vim.o.showmode = false
vim.o.columns = 200 -- messages in one line

---The address that the browser would have been sent to.
local url
vim.ui.open = function(address)
  url = address
  return {}
end

---Run a command of this plugin until the browser is asked for, and give the address.
local function opened(command)
  url = nil
  vim.cmd('Proflens flame' .. (command or ''))
  return t.eventually('the browser', function()
    return url
  end)
end

local function port()
  return tonumber(url:match(':(%d+)/'))
end

local function path()
  return url:match('://[^/]+(/.*)$')
end

---Send bytes, and give all that comes back until the server closes; nil if nobody listens.
local function exchange(bytes)
  local socket = assert(vim.uv.new_tcp())
  local received, is_over = '', false
  socket:connect('127.0.0.1', port(), function(err)
    if err then
      received, is_over = nil, true
      return
    end
    socket:read_start(function(_, chunk)
      received = received .. (chunk or '')
      is_over = is_over or not chunk
    end)
    socket:write(bytes)
  end)
  t.eventually('the end of the answer', function()
    return is_over
  end)
  socket:close()
  return received
end

---A request as browsers send it, and its answer's status and body.
local function ask(method, target, fields, body)
  local lines = { ('%s %s HTTP/1.1'):format(method, target) }
  fields = vim.tbl_extend('force', { Host = '127.0.0.1:' .. port() }, fields or {})
  for name, value in vim.spairs(fields) do
    lines[#lines + 1] = value and ('%s: %s'):format(name, value) or nil
  end
  if body and fields['Content-Length'] == nil then
    lines[#lines + 1] = 'Content-Length: ' .. #body
  end
  local answer = exchange(table.concat(lines, '\r\n') .. '\r\n\r\n' .. (body or ''))
  local status, text = answer:match('^HTTP/1.1 (%d+) .-\r\n\r\n(.*)$')
  return tonumber(status), text, answer
end

---A click in the page, its answer's status, and where Neovim is then.
local function click(wanted)
  local status = ask('POST', path() .. 'open', nil, type(wanted) == 'string' and wanted or vim.json.encode(wanted))
  local file = vim.fn.fnamemodify(vim.fn.bufname(), ':t')
  return { status, file, unpack(vim.api.nvim_win_get_cursor(0)) }
end

local IS_PRIME = { file = 'generate.js', path = 'isPrime', line = 6, column = 17 }

local function write(file, text)
  vim.fn.writefile(vim.split(text, '\n'), file)
end

t.test('the page is what is shown, served to nobody but the browser', function()
  t.loaded()
  assert(opened():match('^http://127%.0%.0%.1:%d+/[%w_-]+/$'), url)
  assert(#path() == 2 + 22, path()) -- 128 bits in base64
  local status, page, answer = ask('GET', path())
  t.equal(status, 200)
  t.contains(page, '<title>primes.cpuprofile')
  t.equal(vim.split(answer:match('^(.-)\r\n\r\n'), '\r\n'), {
    'HTTP/1.1 200 OK',
    'Cache-Control: no-store',
    'Connection: close',
    "Content-Security-Policy: frame-ancestors 'none'",
    'Cross-Origin-Resource-Policy: same-origin',
    'Referrer-Policy: no-referrer',
    'X-Content-Type-Options: nosniff',
    'Content-Type: text/html; charset=utf-8',
    'Content-Length: ' .. #page,
  })
end)

t.test('a click goes to where the function is now', function()
  t.equal(click(IS_PRIME), { 204, 'generate.js', 6, 9 })
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '', '// new', '' })
  t.becomes(function()
    return click(IS_PRIME)
  end, { 204, 'generate.js', 9, 9 })
  t.press('<C-o>')
  vim.cmd('silent undo')
  t.equal(click({ file = 'main.js', path = 'handleClick', line = 1, column = 1 }), { 204, 'main.js', 5, 15 })
end)

t.test('what the server does not know is at its line', function()
  t.equal(click({ file = 'generate.js', line = 16, column = 9 }), { 204, 'generate.js', 16, 8 })
  t.equal(click({ file = vim.uri_from_fname(vim.fn.getcwd() .. '/main.js'), line = 8 }), { 204, 'main.js', 8, 0 })
  t.equal(click({ file = 'generate.js', path = 'gone', line = 900, column = 900 }), { 204, 'generate.js', 24, 0 })
end)

t.test('what is not in the workspace is not opened', function()
  local outside = vim.fn.tempname() .. '.js'
  write(outside, 'secret')
  vim.uv.fs_symlink(outside, 'link.js')
  local before = { 404, 'generate.js', 24, 0 }
  local traversal = ('../'):rep(20) .. outside
  local files = { outside, traversal, 'link.js', vim.uri_from_fname(outside), '.', '', 'none.js', '~', '$HOME', 'a\0b' }
  vim.list_extend(files, { 'https://example.com/a.js', 'node:fs', 'file://%', 'term://echo', '|!touch hacked' })
  for _, file in ipairs(files) do
    local said = t.said(function()
      t.equal({ file, click({ file = file, line = 1, column = 1 }) }, { file, before })
    end)
    t.equal(said, 'proflens: that function has no place in a file of this workspace.')
  end
  t.equal(vim.uv.fs_stat('hacked'), nil)
  vim.fn.delete('link.js')
end)

t.test('what is no click changes nothing', function()
  local before = { 400, 'generate.js', 24, 0 }
  for _, body in ipairs({ '', '{', 'null', '1', '"a"', ('['):rep(5000), '\255\0' }) do
    t.equal({ body, click(body) }, { body, before })
  end
  for _, wanted in ipairs({ {}, { file = {} }, { file = 'main.js', line = -1 }, { file = 'main.js', line = 1e300 } }) do
    t.said(function()
      t.equal(click(wanted), { 404, 'generate.js', 24, 0 })
    end)
  end
end)

t.test('nobody else is answered', function()
  local own = '127.0.0.1:' .. port()
  local page, open = path(), path() .. 'open'
  local body = vim.json.encode(IS_PRIME)
  local requests = {
    { 404, 'GET', '/' },
    { 404, 'GET', '/favicon.ico' },
    { 404, 'GET', '/AAAAAAAAAAAAAAAAAAAAAA/' },
    { 404, 'GET', page:sub(1, -2) },
    { 404, 'GET', page .. 'other' },
    { 404, 'GET', page .. '../' },
    { 404, 'GET', page .. '?a' },
    { 404, 'GET', '/x' .. page },
    { 404, 'POST', '/AAAAAAAAAAAAAAAAAAAAAA/open', nil, body },
    { 405, 'POST', page, nil, body },
    { 405, 'HEAD', page },
    { 405, 'OPTIONS', open },
    { 405, 'GET', open },
    { 405, 'PUT', open, nil, body },
    { 403, 'GET', page, { Host = 'evil.example:' .. port() } },
    { 403, 'GET', page, { Host = 'localhost:' .. port() } },
    { 403, 'GET', page, { Host = '127.0.0.1' } },
    { 403, 'GET', page, { Host = own, Origin = 'http://evil.example' } },
    { 403, 'POST', open, { Origin = 'http://127.0.0.1:1' }, body },
    { 403, 'POST', open, { Origin = 'null' }, body },
    { 411, 'POST', open },
    { 411, 'POST', open, { ['Transfer-Encoding'] = 'chunked' }, body },
    { 400, 'POST', open, { ['Content-Length'] = '-1' } },
    { 400, 'POST', open, { ['Content-Length'] = '0x10' } },
    { 413, 'POST', open, { ['Content-Length'] = '65537' }, (' '):rep(65537) },
    { 413, 'POST', open, { ['Content-Length'] = ('9'):rep(400) } },
    { 431, 'GET', page, { Cookie = ('a'):rep(20000) } },
    { 431, 'GET', '/' .. ('a'):rep(20000) },
    { 400, 'get', page },
    { 400, 'GET', 'http://' .. own .. page },
    { 400, 'GET', page, { ['Bad name'] = 'x' } },
    { 400, 'GET', page, { host = own } }, -- a second one
  }
  for _, request in ipairs(requests) do
    local status = ask(unpack(request, 2, 5))
    t.equal({ vim.inspect(request):sub(1, 200), status }, { vim.inspect(request):sub(1, 200), request[1] })
  end
  for _, bytes in ipairs({ '\r\n\r\n', '\22\3\1\0\r\n\r\n', 'GET / HTTP/2\r\n\r\n', 'GET /\0 HTTP/1.1\r\n\r\n' }) do
    t.equal(exchange(bytes):sub(1, 12), 'HTTP/1.1 400')
  end
  t.contains(exchange(('GET %s HTTP/1.1\r\n\r\n'):format(page)), 'HTTP/1.1 403')
  t.equal({ vim.fn.bufname(), vim.api.nvim_win_get_cursor(0) }, { 'generate.js', { 24, 0 } })
end)

t.test('its own origin is answered, and a body of 64 kB', function()
  local body = vim.json.encode(IS_PRIME)
  body = body .. (' '):rep(65536 - #body)
  t.equal(ask('POST', path() .. 'open', { Origin = 'http://127.0.0.1:' .. port() }, body), 204)
end)

t.test('clients that say nothing or leave do not stand in the way', function()
  local silent = {}
  for at = 1, 40 do
    local socket = assert(vim.uv.new_tcp())
    silent[at] = socket
    socket:connect('127.0.0.1', port(), function()
      socket:write('POST ' .. path() .. 'open HTTP/1.1\r\n')
    end)
  end
  vim.wait(200)
  for _, socket in ipairs(silent) do
    socket:close()
  end
  t.becomes(function()
    return click(IS_PRIME)[1]
  end, 204)
end)

t.test('the server is not reached from other machines', function()
  for _, address in ipairs(vim.uv.interface_addresses()) do
    if address.ip ~= '127.0.0.1' and not address.ip:find(':') then
      local socket = assert(vim.uv.new_tcp())
      local problem
      socket:connect(address.ip, port(), function(err)
        problem = err or 'connected'
      end)
      t.becomes(function()
        return problem
      end, 'ECONNREFUSED')
      socket:close()
    end
  end
end)

t.test('the window is that from which it was opened, if a file may be shown there', function()
  local first = vim.api.nvim_get_current_win()
  vim.cmd('vsplit main.js')
  local second = vim.api.nvim_get_current_win()
  opened()
  vim.api.nvim_set_current_win(first)
  t.equal(click(IS_PRIME), { 204, 'generate.js', 6, 9 })
  t.equal(vim.api.nvim_get_current_win(), second)

  vim.cmd.only()
  vim.cmd('Proflens callers')
  t.becomes(function()
    return vim.bo.filetype
  end, 'proflens')
  opened()
  t.equal(click({ file = 'main.js', path = 'handleClick' }), { 204, 'main.js', 5, 15 })
  t.equal(vim.api.nvim_get_current_win(), second)
  vim.cmd.only()
end)

---Double click on a frame in a real browser, and give what the browser saw.
local function double_click(name)
  local script = vim.fs.dirname(vim.env.PROFLENS_SPEC) .. '/flame_browser.mjs'
  local browser
  vim.system({ 'node', script, url, name }, { text = true }, function(result)
    browser = result
  end)
  vim.wait(60000, function()
    return browser
  end, 20)
  assert(browser and browser.code == 0, vim.inspect(browser))
  return vim.json.decode(browser.stdout)
end

t.test('a double click in a real browser goes to the definition', function()
  vim.cmd('Proflens focus below genPrimes')
  t.eventually('the focus', function()
    return require('proflens').status():find('below genPrimes', 1, true)
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  opened()
  t.equal(double_click('isPrime'), {
    title = 'primes.cpuprofile',
    status = '582 ms active · 567 samples · below genPrimes',
    asked = { { path() .. 'open', 204 } },
    complaints = {},
  })
  t.equal({ vim.fn.bufname(), vim.api.nvim_win_get_cursor(0) }, { 'generate.js', { 6, 9 } })
  vim.cmd('Proflens all')
end)

t.test('a text with changes stays where it cannot be hidden', function()
  vim.o.hidden = false
  vim.cmd('silent edit main.js')
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { '// changed' })
  t.equal(click(IS_PRIME), { 204, 'generate.js', 6, 9 })
  t.equal(#vim.api.nvim_list_wins(), 2)
  vim.o.hidden = true
  vim.cmd.only()
  vim.cmd('silent buffer main.js | silent edit!')
  vim.wo.winfixbuf = true
  t.equal(click(IS_PRIME), { 204, 'generate.js', 6, 9 })
  t.equal(#vim.api.nvim_list_wins(), 2)
  vim.cmd.only()
end)

t.test('a browser that there is not gets its address as a message', function()
  local open = vim.ui.open
  vim.ui.open = function()
    return nil, 'no handler'
  end
  t.equal(
    t.said(function()
      vim.cmd('Proflens flame')
    end),
    ('proflens: no browser was found (no handler); open %s.'):format(url)
  )
  vim.ui.open = open
  t.equal(
    t.said(function()
      vim.cmd('Proflens flame')
    end),
    'proflens: flame graph: ' .. url
  )
end)

t.test('a file that is named is shown first', function()
  opened(' recordings/self-profiling.json')
  t.contains(select(2, ask('GET', path())), '<title>self-profiling.json')
  t.becomes(function()
    return require('proflens').status():match('^%S+')
  end, 'self-profiling.json')
end)

t.test('a file that is no trace is told of, and no browser is opened', function()
  write('broken.cpuprofile', '{"nodes": [')
  local files = { ['broken.cpuprofile'] = 'broken.cpuprofile', ['none.json'] = 'none.json' }
  for file, piece in pairs(files) do
    url = nil
    t.contains(
      t.said(function()
        vim.cmd('Proflens flame ' .. file)
      end),
      piece
    )
    vim.wait(300)
    t.equal(url, nil)
  end
end)

t.test('without a trace there is none', function()
  opened(' recordings/self-profiling.json')
  vim.cmd('Proflens unload recordings/self-profiling.json')
  t.becomes(function()
    local status, text = ask('GET', path())
    return { status, text }
  end, { 404, 'proflens: no trace is loaded; `:Proflens load {file}` takes any.' })
  t.contains(
    t.said(function()
      vim.cmd('Proflens flame')
    end),
    'no trace is loaded'
  )
end)

t.test('it listens no more when it is stopped, and then at a new address', function()
  local before = url
  t.completes('Proflens flame st', { 'stop' })
  vim.cmd('Proflens flame stop')
  t.equal(exchange('GET / HTTP/1.1\r\n\r\n'), nil)
  t.equal(
    t.said(function()
      vim.cmd('Proflens flame stop')
    end),
    'proflens: no flame graph is open.'
  )
  t.equal(opened(' primes.cpuprofile') == before, false)
  t.equal(ask('GET', path()), 200)
end)

t.test('without the language server lines are still opened', function()
  local client = t.client()
  if vim.fn.has('nvim-0.11') == 1 then
    client:stop(true)
  else
    client.stop(true)
  end
  t.becomes(function()
    return #vim.lsp.get_clients({ name = 'proflens' })
  end, 0)
  local status, text = ask('GET', path())
  t.equal({ status, text }, { 503, 'proflens: the server of this flame graph does not run any more.' })
  t.equal(click({ file = 'main.js', path = 'handleClick', line = 8, column = 3 }), { 204, 'main.js', 8, 2 })
end)
