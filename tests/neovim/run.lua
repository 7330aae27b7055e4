-- Runs one spec inside this Neovim, prints what passed and what failed, and quits with an exit code.
--
-- A spec is a Lua file named by PROFLENS_SPEC. It is given one table: `test` adds a test, and the rest asks the editor
-- what a user sees. The tests of a spec run in order, in one editor with `generate.js` of the workspace open.
--
-- Whoever opens such a file has a TypeScript server, so one runs beside Proflens, with its hints on: `t.beside`.
local t = {}

local tests = {}

---How long something may take on a busy machine, in milliseconds.
local PATIENCE = 120000

---The server that runs beside Proflens.
t.beside = 'typescript-language-server'

---What Proflens logged.
---@type string[]
local said = {}
local log = require('proflens.log')
local add_to_log = log.add
function log.add(message)
  said[#said + 1] = message.message
  add_to_log(message)
end

---@param name string
---@param body fun()
function t.test(name, body)
  tests[#tests + 1] = { name = name, body = body }
end

---Fail unless both are alike.
function t.equal(actual, expected)
  if not vim.deep_equal(actual, expected) then
    error(('\nexpected %s\n     got %s'):format(vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

---Fail unless the text contains the piece, as it is written.
function t.contains(text, piece)
  if not text:find(piece, 1, true) then
    error(('\n%q\nis not in\n%s'):format(piece, text), 2)
  end
end

---Let the editor work until a function gives what is expected.
function t.becomes(probe, expected)
  local actual
  local function is_so()
    vim.cmd('redraw!') -- without a screen, nothing is drawn by itself
    actual = probe()
    return vim.deep_equal(actual, expected)
  end
  if not vim.wait(PATIENCE, is_so, 20) then
    error(('\nexpected %s\n     got %s'):format(vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

---What a line is completed with. The plugin gives a server a second for it, which is not enough on a busy machine.
---@param line string
---@param expected string[]
function t.completes(line, expected)
  t.becomes(function()
    return vim.fn.getcompletion(line, 'cmdline')
  end, expected)
end

---Let the editor work until a function gives something, and return that.
function t.eventually(what, probe)
  local actual
  vim.wait(PATIENCE, function()
    vim.cmd('redraw!')
    actual = probe()
    return actual
  end, 20)
  return actual or error(what .. ' did not come', 2)
end

---The expectations of one kind for one file, of the first section of expected.txt (the trace that is found by itself):
---`{ row, column, text }`, all from 1.
---@param kind 'hint'|'lens'|'hover'
---@param file string
function t.expected(kind, file)
  local found = {}
  local sections = 0
  for line in io.lines(assert(vim.env.PROFLENS_EXPECTED)) do
    sections = sections + (line:find('^%[') and 1 or 0)
    local what, where, row, column, text = line:match('^(%l+)%s+(%S+):(%d+):(%d+)%s+(.+)$')
    if sections == 1 and what == kind and where == file then
      found[#found + 1] = { tonumber(row), tonumber(column), text }
    end
  end
  assert(#found > 0 or sections > 0, 'expected.txt has no sections')
  return found
end

---What the buffer shows in its lines or above them, in order: `{ row, column, text }`, all from 1. Of Proflens, or, with
---another namespace, of another server.
---@param kind 'hint'|'lens'|'line'|'heat'
---@param bufnr? integer
---@param namespace? string
function t.drawn(kind, bufnr, namespace)
  local drawn = {}
  local namespaces = { hint = 'proflens.hints', lens = 'proflens.lenses', line = 'proflens.lines', heat = 'proflens.heat' }
  local id = vim.api.nvim_create_namespace(namespace or namespaces[kind])
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr or 0, id, 0, -1, { details = true })) do
    local chunks = mark[4].virt_text or {}
    for _, line in ipairs(mark[4].virt_lines or {}) do
      vim.list_extend(chunks, line)
    end
    local text = ''
    for _, chunk in ipairs(chunks) do
      text = text .. chunk[1]
    end
    if not mark[4].invalid then
      drawn[#drawn + 1] = { mark[2] + 1, mark[3] + 1, vim.trim(text) }
    end
  end
  return drawn
end

---The lenses that the buffer shows, without columns: Neovim puts a lens on a line.
function t.lenses(bufnr)
  return t.without_columns(t.drawn('lens', bufnr))
end

function t.without_columns(places)
  return vim.tbl_map(function(place)
    return { place[1], place[3] }
  end, places)
end

---The lines of the floating window, if one is open.
function t.float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    end
  end
end

---The quickfix list as text: its title, then its rows.
function t.quickfix()
  local list = vim.fn.getqflist({ title = 1, items = 1 })
  local rows = { list.title }
  for _, item in ipairs(list.items) do
    local file = item.bufnr > 0 and vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ':t') or '-'
    rows[#rows + 1] = ('%s:%d:%d %s'):format(file, item.lnum, item.col, item.text)
  end
  return rows
end

---The notifications while a function ran, and until they satisfy `is_enough`.
function t.said(body)
  local said = {}
  local notify = vim.notify
  vim.notify = function(message)
    said[#said + 1] = message
  end
  local ok, problem = pcall(body)
  t.eventually('a message', function()
    return #said > 0 or not ok
  end)
  vim.notify = notify
  assert(ok, problem)
  return table.concat(said, '\n')
end

---Answer the next question that a list of choices or a line of input asks.
function t.answering(answer, body)
  local select, input = vim.ui.select, vim.ui.input
  local asked
  vim.ui.select = function(items, options, on_choice)
    asked = vim.tbl_map(options.format_item or tostring, items)
    for at, item in ipairs(items) do
      if vim.startswith(asked[at], answer) then
        return on_choice(item, at)
      end
    end
    on_choice(nil)
  end
  vim.ui.input = function(_, on_confirm)
    asked = {}
    on_confirm(answer)
  end
  local ok, problem = pcall(body)
  t.eventually('a question', function()
    return asked or not ok
  end)
  vim.ui.select, vim.ui.input = select, input
  assert(ok, problem)
  return asked
end

local FRAMES = {
  isPrime = { 'generate.js', 6, 17 },
  genPrimes = { 'generate.js', 15, 26 },
  handleClick = { 'main.js', 5, 27 },
}

---Write a trace of the workspace: its threads, each a name and stacks of 20 ms (`'handleClick genPrimes'`), of the
---functions above or of any that are not in the workspace.
---@param file string
---@param threads string[][]
---@param places? table<string, [string, integer, integer]> Where other functions begin: file, row and column
function t.write_trace(file, threads, places)
  local frames, numbers = {}, {}
  local function number(name)
    if not numbers[name] then
      local place = (places or FRAMES)[name]
      frames[#frames + 1] = {
        name = name,
        file = place and vim.uri_from_fname(vim.fn.getcwd() .. '/' .. place[1]),
        line = place and place[2],
        col = place and place[3],
      }
      numbers[name] = #frames - 1
    end
    return numbers[name]
  end
  local profiles = vim.tbl_map(function(thread)
    local samples = vim.tbl_map(function(stack)
      return vim.tbl_map(number, vim.split(stack, ' '))
    end, vim.list_slice(thread, 2))
    local weights = vim.tbl_map(function()
      return 20
    end, samples)
    return { type = 'sampled', name = thread[1], unit = 'milliseconds', samples = samples, weights = weights }
  end, threads)
  local schema = 'https://www.speedscope.app/file-format-schema.json'
  local trace = { ['$schema'] = schema, shared = { frames = frames }, profiles = profiles }
  vim.fn.writefile({ vim.json.encode(trace) }, file)
end

---How many polls a hover is waited for before it is asked for again, as a user does: a late event may have closed it.
local POLLS = 1500

---What the hover at the cursor says.
---@return string[] lines
function t.hover()
  if vim.fn.has('nvim-0.11') == 0 then
    t.stop(vim.lsp.get_clients({ name = t.beside })) -- 0.10 shows only that of the server that answers last
    t.becomes(function()
      return #vim.lsp.get_clients({ bufnr = 0 })
    end, 1)
  end
  local polls = 0
  return t.eventually('a hover', function()
    if polls % POLLS == 0 then
      vim.lsp.buf.hover()
    end
    polls = polls + 1
    return t.float()
  end)
end

---Press keys, as a user does.
---@param keys string
function t.press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

---What stands beside the text of the buffer, in a namespace of the plugin: rows from 1 with what `of` takes from each.
---@param namespace string
---@param of fun(details: table): string
function t.marks(namespace, of)
  local id = vim.api.nvim_create_namespace(namespace)
  return vim.tbl_map(function(mark)
    return ('%d %s'):format(mark[2] + 1, of(mark[4]))
  end, vim.api.nvim_buf_get_extmarks(0, id, 0, -1, { details = true }))
end

---The client of Proflens at the buffer, once it is there.
function t.client()
  return t.eventually('the client', function()
    local client = vim.lsp.get_clients({ name = 'proflens', bufnr = 0 })[1]
    return client and client.initialized and client
  end)
end

---Wait until the trace that is found by itself is shown.
function t.loaded()
  t.client()
  t.eventually('a hint', function()
    return #t.drawn('hint') > 0
  end)
end

---How each server is told to show all of its hints, and to download nothing: `initializationOptions` and settings.
local function hints_beside()
  local all = {
    parameterNames = { enabled = 'all' },
    parameterTypes = { enabled = true },
    variableTypes = { enabled = true },
    propertyDeclarationTypes = { enabled = true },
    functionLikeReturnTypes = { enabled = true },
    enumMemberValues = { enabled = true },
  }
  local language = { inlayHints = all, disableAutomaticTypeAcquisition = true }
  local options = { disableAutomaticTypingAcquisition = true }
  options.preferences = {
    includeInlayParameterNameHints = 'all',
    includeInlayFunctionParameterTypeHints = true,
    includeInlayVariableTypeHints = true,
    includeInlayFunctionLikeReturnTypeHints = true,
  }
  return options, { typescript = language, javascript = language, ['js/ts'] = language }
end

---Start the server beside Proflens for a buffer, or attach the buffer to the one that runs.
---@param bufnr integer
local function start_beside(bufnr)
  if vim.bo[bufnr].buftype ~= '' or vim.api.nvim_buf_get_name(bufnr) == '' then
    return
  end
  local options, settings = hints_beside()
  local command = { ('%s/.bin/%s'):format(vim.env.PROFLENS_BESIDE, t.beside), '--stdio' }
  if t.beside == 'tsgo' then
    table.insert(command, 2, '--lsp')
  end
  vim.lsp.start({
    name = t.beside,
    cmd = command,
    root_dir = vim.uv.cwd(),
    init_options = options,
    settings = settings,
    -- Neovim asks for the colours of a buffer that is wiped before the answer comes, and reports its own mistake then.
    on_init = function(client)
      client.server_capabilities.semanticTokensProvider = nil
    end,
    handlers = {
      -- What goes wrong in that server is not looked at here.
      ['textDocument/inlayHint'] = function(err, ...)
        return err and vim.NIL or vim.lsp.handlers['textDocument/inlayHint'](err, ...)
      end,
    },
  }, { bufnr = bufnr })
end

---Start the server beside Proflens, with hints on, now and for files that are opened later.
function t.start_beside()
  vim.lsp.inlay_hint.enable(true)
  vim.api.nvim_create_autocmd('FileType', {
    group = vim.api.nvim_create_augroup('beside', {}),
    pattern = require('proflens.server').filetypes,
    callback = function(event)
      start_beside(event.buf)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.list_contains(require('proflens.server').filetypes, vim.bo[bufnr].filetype) then
      start_beside(bufnr)
    end
  end
end

---Stop servers at once.
---@param clients vim.lsp.Client[]
function t.stop(clients)
  for _, client in ipairs(clients) do
    if vim.fn.has('nvim-0.11') == 1 then
      client:stop(true)
    else
      client.stop(true)
    end
  end
end

---The hints that a server gives when it is asked now.
---@param client vim.lsp.Client
---@return lsp.InlayHint[]
function t.asked_for_hints(client)
  local last = vim.api.nvim_buf_line_count(0)
  local range = { start = { line = 0, character = 0 }, ['end'] = { line = last, character = 0 } }
  local params = { textDocument = vim.lsp.util.make_text_document_params(0), range = range }
  return require('proflens.client').request_sync(client, 'textDocument/inlayHint', params, 0, 10000) or {}
end

---The hints of the server beside Proflens, which Neovim draws.
function t.hints_beside()
  return t.drawn('hint', 0, vim.fn.has('nvim-0.11') == 1 and 'nvim.lsp.inlayhint' or 'vim_lsp_inlayhint')
end

---The last of these lines below a title, if there are any.
---@param title string
---@param lines string[]
local function tail(title, lines)
  local last = vim.list_slice(lines, math.max(1, #lines - 9))
  return #last > 0 and ('\n    %s:\n      %s'):format(title, table.concat(last, '\n      ')) or ''
end

---What went wrong, at which lines of the spec, and what the editor and the servers said last.
---@param spec string
---@param problem any
local function explained(spec, problem)
  local text, lines = tostring(problem), vim.fn.readfile(spec)
  local level, info = 2, debug.getinfo(2, 'Sl')
  while info do
    if info.source == '@' .. spec then
      text = ('%s\n    at line %d: %s'):format(text, info.currentline, vim.trim(lines[info.currentline] or ''))
    end
    level = level + 1
    info = debug.getinfo(level, 'Sl')
  end
  local log_of_servers = vim.fn.stdpath('log') .. '/lsp.log'
  local of_servers = vim.fn.filereadable(log_of_servers) == 1 and vim.fn.readfile(log_of_servers) or {}
  return text
    .. tail('last messages of the editor', vim.split(vim.fn.execute('messages'), '\n', { trimempty = true }))
    .. tail('last messages of Proflens', said)
    .. tail('last lines of the log of language servers', of_servers)
end

local function run()
  local spec = assert(vim.env.PROFLENS_SPEC)
  local name = vim.fs.basename(spec):gsub('_spec%.lua$', '')
  local version = ('Neovim %d.%d'):format(vim.version().major, vim.version().minor)
  vim.cmd.syntax('off') -- colours take most of the time of a redraw, of which there are many
  assert(loadfile(spec))(t)
  t.start_beside()
  t.test('nothing went wrong unseen', function()
    local messages = vim.fn.execute('messages')
    assert(not messages:find('Error') and not messages:find('E%d+:'), messages)
  end)
  local failures = 0
  for _, test in ipairs(tests) do
    local ok, problem = xpcall(test.body, function(problem)
      return explained(spec, problem)
    end)
    failures = failures + (ok and 0 or 1)
    io.stdout:write(
      ('%s  %s, %s: %s%s\n'):format(ok and 'ok  ' or 'FAIL', version, name, test.name, ok and '' or ': ' .. problem)
    )
  end
  return failures
end

local function run_and_quit()
  local ok, failures = pcall(run)
  if not ok then
    io.stdout:write('FAIL  ' .. tostring(failures) .. '\n')
  end
  -- A server that hangs must not keep the editor from ending.
  t.stop(vim.lsp.get_clients())
  vim.cmd(ok and failures == 0 and 'qall!' or 'cquit!')
end

-- Only after its start is Neovim in the state that users see.
vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = vim.schedule_wrap(run_and_quit) })
