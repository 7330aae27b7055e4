-- `:Proflens record`: runs a command in a terminal and records it, and shows what it cost when it is over.
local client = require('proflens.client')

local M = {}

---@class proflens.Recording
---@field name string The command as it was typed
---@field job integer
---@field results string The folder where its result will be
---@field known table<string, true> What was there before
---@field root string
---@field buffer integer
---@field is_over boolean

---@type proflens.Recording[] Those that run, the latest last
local running = {}
local last_line = ''

-- As many as the table at the end of a recording has.
local TERMINAL_LINES = 15
-- How often the result of a recording of limited time is looked for.
local POLL_MS = 500
local CTRL_C = '\3'

---@param text string
---@return string? word, string rest
local function first_word(text)
  local word = ''
  local is_word = false
  while text ~= '' and not text:find('^%s') do
    local single, double = text:match("^'([^']*)'"), text:match('^"([^"\\$`!]*)"')
    local piece = single or double or text:match('^[^%s\'"\\|&;<>()$`*?%[%]{}~#!]+')
    if not piece then
      return nil, text
    end
    word = word .. piece
    is_word = true
    text = text:sub(#piece + ((single or double) and 3 or 1))
  end
  return is_word and word or nil, vim.trim(text)
end

---The words of a command line, as a shell splits them; nil if only a shell can tell what it means.
---@param line string
---@return string[]?
function M.words(line)
  local words, rest = {}, vim.trim(line)
  while rest ~= '' do
    local word
    word, rest = first_word(rest)
    if not word then
      return nil
    end
    words[#words + 1] = word
  end
  -- An assignment before the command is the shell's too.
  return words[1] and not words[1]:find('=', 1, true) and words or nil
end

---A command line as `proflens record` takes it. `%` stands for the current file, as after `:!`.
---@param line string
---@return string[]
local function command_of(line)
  local words = vim.fn.has('win32') == 0 and M.words(line) or nil
  if words then
    return vim.tbl_map(vim.fn.expandcmd, words)
  elseif vim.fn.has('win32') == 1 then
    return { 'cmd.exe', '/d', '/s', '/c', vim.fn.expandcmd(line) }
  end
  return { '/bin/sh', '-c', vim.fn.expandcmd(line) }
end

---The arguments of `proflens record`: its options, which end at ` -- `, and the command.
---@param line string
---@return string[]
function M.arguments(line)
  if not vim.startswith(line, '-') then
    return vim.list_extend({ '--' }, command_of(line))
  end
  local options, command = line:match('^(.-)%s+%-%-%s+(.*)$')
  local arguments = M.words('x ' .. (options or line)) or vim.split('x ' .. (options or line), '%s+')
  table.remove(arguments, 1)
  return command and vim.list_extend(arguments, M.arguments(command)) or arguments
end

---The folder in which recordings are kept: that of the server, or the one that it would have.
---@return string
local function root()
  local server = client.get()
  if server and server.config.root_dir then
    return server.config.root_dir
  elseif vim.bo.buftype == '' then
    return require('proflens.workspace').root(0)
  end
  return assert(vim.uv.cwd())
end

---@param folder string
---@return string[] paths The newest first
local function recordings(folder)
  local found = {}
  for name, kind in vim.fs.dir(folder) do
    local is_whole = name:find('^[^.].*%.json%.gz$') or name:find('^[^.].*%.json$') or name:find('^[^.].*%.heapprofile$')
    if kind == 'file' and is_whole then
      found[#found + 1] = vim.fs.joinpath(folder, name)
    end
  end
  local function time(path)
    local stat = vim.uv.fs_stat(path)
    return stat and stat.mtime.sec + stat.mtime.nsec / 1e9 or 0
  end
  table.sort(found, function(a, b)
    return time(a) > time(b)
  end)
  return found
end

---@param recording proflens.Recording
---@return string?
local function result_of(recording)
  for _, path in ipairs(recordings(recording.results)) do
    if not recording.known[path] then
      return path
    end
  end
end

---@param recording proflens.Recording
---@param path string
local function show(recording, path)
  local server = client.get()
  for _, other in ipairs(vim.lsp.get_clients({ name = client.name })) do
    server = other.config.root_dir == recording.root and other or server
  end
  if not server then
    client.notify(('recorded %s; it is shown with the first JavaScript or TypeScript file.'):format(path))
    return
  end
  local params = { command = 'proflens.loadTrace', arguments = { vim.uri_from_fname(path) } }
  client.request(server, 'workspace/executeCommand', params, function(err)
    if err then
      client.notify(err.message, vim.log.levels.ERROR)
    end
  end)
end

---@param recording proflens.Recording
---@param has_ended boolean
local function look(recording, has_ended)
  if recording.is_over then
    return
  end
  local path = result_of(recording)
  recording.is_over = has_ended or path ~= nil
  if path then
    show(recording, path)
  elseif has_ended then
    client.notify(('nothing was recorded of `%s`; its terminal says why.'):format(recording.name), vim.log.levels.WARN)
  end
end

---@param command string[]
---@param on_exit fun()
---@return integer job
local function open_terminal(command, on_exit)
  vim.cmd(('botright %dnew'):format(TERMINAL_LINES))
  vim.bo.bufhidden = 'hide'
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = 0, desc = 'Close the terminal of a recording' })
  local options = { on_exit = on_exit }
  if vim.fn.has('nvim-0.11') == 1 then
    options.term = true
    return vim.fn.jobstart(command, options)
  end
  return vim.fn.termopen(command, options)
end

---@param recording proflens.Recording
local function ended(recording)
  running = vim.tbl_filter(function(it)
    return it ~= recording
  end, running)
  -- The next key would close the terminal, with what it says.
  if vim.api.nvim_get_current_buf() == recording.buffer then
    vim.cmd.stopinsert()
  end
  look(recording, true)
end

---Look for the result of a recording of limited time while its command runs on.
---@param recording proflens.Recording
local function poll(recording)
  vim.defer_fn(function()
    look(recording, false)
    if not recording.is_over then
      poll(recording)
    end
  end, POLL_MS)
end

---@param line string
local function start(line)
  local command, problem = require('proflens.program').command()
  if not command then
    client.notify(assert(problem), vim.log.levels.ERROR)
    return
  end
  local is_expanded, arguments = pcall(M.arguments, line)
  if not is_expanded then
    client.notify(('`%s` cannot be expanded: %s'):format(line, arguments), vim.log.levels.ERROR)
    return
  end
  local folder = root()
  vim.list_extend(command, { 'record', '--workspace', folder })
  vim.list_extend(command, arguments)
  ---@type proflens.Recording
  local recording = {
    name = line,
    job = 0,
    results = vim.fs.joinpath(folder, '.proflens/recordings'),
    known = {},
    root = folder,
    buffer = 0,
    is_over = false,
  }
  for _, path in ipairs(recordings(recording.results)) do
    recording.known[path] = true
  end
  last_line = line
  recording.job = open_terminal(command, function()
    vim.schedule(function()
      ended(recording)
    end)
  end)
  recording.buffer = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_name(recording.buffer, ('proflens://record/%d/%s'):format(recording.job, line))
  running[#running + 1] = recording
  vim.cmd.startinsert()
  if vim.list_contains(arguments, '--duration') then
    poll(recording)
  end
end

---End the latest recording as CTRL-C in its terminal does, so that what was recorded is kept.
local function stop()
  local recording = running[#running]
  if recording then
    vim.fn.chansend(recording.job, CTRL_C)
  else
    client.notify('nothing is being recorded.')
  end
end

---@param line? string What follows `:Proflens record`
function M.run(line)
  if line == 'stop' then
    stop()
  elseif line then
    start(line)
  else
    vim.ui.input({ prompt = 'Record: ', default = last_line, completion = 'file' }, function(typed)
      if typed and vim.trim(typed) ~= '' then
        start(vim.trim(typed))
      end
    end)
  end
end

---The scripts of the `package.json` that npm would take.
---@return string[]
local function scripts()
  local path = vim.fs.find('package.json', { upward = true, path = vim.fn.getcwd(), type = 'file' })[1]
  if not path then
    return {}
  end
  local ok, package = pcall(vim.json.decode, table.concat(vim.fn.readfile(path), '\n'))
  local found = ok and type(package) == 'table' and type(package.scripts) == 'table' and package.scripts or {}
  return vim.fn.sort(vim.tbl_keys(found))
end

---What may stand at the end of `:Proflens record …`.
---@param lead string
---@param line string What follows `:Proflens record`
---@return string[]
function M.complete(lead, line)
  local before = vim.trim(line:sub(1, #line - #lead))
  before = before:match('%-%-%s+(.*)$') or before
  local candidates
  if before == '' then
    candidates = vim.tbl_map(function(script)
      return 'npm run ' .. script
    end, scripts())
    vim.list_extend(candidates, { 'node', 'npx' })
    if #running > 0 then
      candidates[#candidates + 1] = 'stop'
    end
  elseif vim.list_contains({ 'npm run', 'pnpm run', 'yarn run', 'bun run' }, before) then
    candidates = scripts()
  else
    return vim.fn.getcompletion(lead, 'file')
  end
  return vim.tbl_filter(function(it)
    return vim.startswith(it, lead)
  end, candidates)
end

return M
