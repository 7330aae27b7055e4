-- The sub-commands of `:Proflens`, their completion, and the commands behind the server's code lenses.
local client = require('proflens.client')
local protocol = require('proflens.protocol')

local M = {}

---@class proflens.Options
---@field argument? string What follows the sub-command
---@field words? string[] The same as words, which may have spaces after a backslash
---@field arguments? any[] The arguments of the server's command in a lens
---@field count? integer

---@class proflens.Subcommand
---@field run fun(options: proflens.Options)
---@field complete? fun(lead: string, line: string): string[] Of a word, and of all that stands before the cursor

---@param lead string
---@param words string[]
---@return string[]
local function starting_with(lead, words)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

---@param trace proflens.TraceStatus
---@return boolean
local function is_loaded(trace)
  return trace.state == 'loaded' or trace.state == 'failed'
end

---The traces that the server knows, for completion; none if it does not answer quickly.
---@param is_wanted fun(trace: proflens.TraceStatus): boolean
---@return fun(lead: string): string[]
local function traces(is_wanted)
  return function(lead)
    local running = client.get()
    local status = running and client.request_sync(running, protocol.STATUS, vim.empty_dict(), 0, 200)
    local names = {}
    for _, trace in ipairs(status and status.traces or {}) do
      if is_wanted(trace) then
        names[#names + 1] = vim.fn.fnamemodify(vim.uri_to_fname(trace.uri), ':.')
      end
    end
    return starting_with(lead, names)
  end
end

---@param path string
---@return string uri
local function to_uri(path)
  return vim.uri_from_fname(vim.fn.fnamemodify(vim.fs.normalize(path), ':p'))
end

---@class proflens.Choice
---@field trace proflens.TraceStatus
---@field thread? proflens.ThreadStatus

---@param traces proflens.TraceStatus[]
---@param with_threads boolean
---@return proflens.Choice[]
local function choices(traces, with_threads)
  local all = {}
  for _, trace in ipairs(traces) do
    all[#all + 1] = { trace = trace }
    for _, thread in ipairs(with_threads and trace.threads or {}) do
      all[#all + 1] = { trace = trace, thread = thread }
    end
  end
  return all
end

---@param choice proflens.Choice
---@return string
local function describe(choice)
  local trace, thread = choice.trace, choice.thread
  if thread then
    local cost = ('%s active, %s'):format(thread.active.text, thread.samples.text)
    return ('  %s · %s%s'):format(thread.name, cost, thread.shown and ' (shown)' or '')
  end
  local file = vim.fn.fnamemodify(vim.uri_to_fname(trace.uri), ':.')
  return trace.shown and file .. ' (shown)' or trace.state == 'failed' and file .. ' (cannot be read)' or file
end

---Ask which trace is meant, or which thread of one.
---@param prompt string
---@param candidates proflens.Choice[]
---@param on_choice fun(choice: proflens.Choice)
local function choose(prompt, candidates, on_choice)
  local options = { prompt = prompt, kind = 'proflens.trace', format_item = describe }
  vim.ui.select(candidates, options, function(choice)
    if choice then
      on_choice(choice)
    end
  end)
end

---@param on_status fun(status: proflens.Status)
local function with_status(on_status)
  local running = client.get_or_notify()
  if running then
    client.request(running, protocol.STATUS, vim.empty_dict(), function(err, status)
      if err then
        client.notify(err.message, vim.log.levels.ERROR)
      else
        on_status(status)
      end
    end)
  end
end

---@type table<string, proflens.Subcommand> What each of `protocol.commands` does
M.subcommands = {
  load = {
    complete = function(lead)
      return vim.fn.getcompletion(lead, 'file')
    end,
    run = function(options)
      if options.argument then
        client.execute('loadTrace', { to_uri(options.argument) })
        return
      end
      vim.ui.input({ prompt = 'Trace: ', completion = 'file' }, function(path)
        if path and path ~= '' then
          client.execute('loadTrace', { to_uri(path) })
        end
      end)
    end,
  },

  unload = {
    complete = traces(is_loaded),
    run = function(options)
      if options.argument then
        client.execute('unloadTrace', { to_uri(options.argument) })
        return
      end
      with_status(function(status)
        local loaded = vim.tbl_filter(is_loaded, status.traces)
        if #loaded == 0 then
          client.notify('no trace is loaded.')
        elseif #loaded == 1 then
          client.execute('unloadTrace', { loaded[1].uri })
        else
          choose('Forget: ', choices(loaded, false), function(choice)
            client.execute('unloadTrace', { choice.trace.uri })
          end)
        end
      end)
    end,
  },

  select = {
    complete = traces(function()
      return true
    end),
    run = function(options)
      if options.argument then
        client.execute('selectTrace', { to_uri(options.argument) })
        return
      end
      with_status(function(status)
        if #status.traces == 0 then
          client.notify('there is no trace in the workspace; `:Proflens load {file}` takes any.')
          return
        end
        choose('Show the costs of: ', choices(status.traces, true), function(choice)
          client.execute('selectTrace', { choice.trace.uri, choice.thread and choice.thread.name })
        end)
      end)
    end,
  },

  unit = {
    complete = function(lead)
      return starting_with(lead, { 'time', 'percent', 'samples' })
    end,
    run = function(options)
      client.execute('cycleUnit', { options.argument })
    end,
  },

  toggle = {
    run = function()
      client.execute('toggle', {})
    end,
  },

  focus = {
    complete = function(lead)
      return starting_with(lead, require('proflens.scope').words())
    end,
    run = function(options)
      require('proflens.scope').focus(options.words or {})
    end,
  },

  window = {
    complete = function(lead)
      return starting_with(lead, require('proflens.scope').markers())
    end,
    run = function(options)
      require('proflens.scope').window(options.words or {})
    end,
  },

  all = {
    run = function()
      require('proflens.scope').clear()
    end,
  },

  compare = {
    complete = function(lead)
      return require('proflens.compare').complete(lead)
    end,
    run = function(options)
      require('proflens.compare').run(options.words or {})
    end,
  },

  ['compare-off'] = {
    run = function()
      require('proflens.compare').stop()
    end,
  },

  threads = {
    complete = function(lead)
      return require('proflens.threads').complete(lead)
    end,
    run = function(options)
      require('proflens.threads').run(options.words or {})
    end,
  },

  hot = {
    complete = function(lead)
      return starting_with(lead, require('proflens.lists').words)
    end,
    run = function(options)
      require('proflens.lists').hot(options.words or {})
    end,
  },

  callers = {
    run = function(options)
      require('proflens.tree').open('callers', options.arguments)
    end,
  },

  callees = {
    run = function(options)
      require('proflens.tree').open('callees', options.arguments)
    end,
  },

  flame = {
    complete = function(lead)
      return vim.list_extend(starting_with(lead, { 'stop' }), vim.fn.getcompletion(lead, 'file'))
    end,
    run = function(options)
      if options.argument == 'stop' then
        require('proflens.flame').stop()
      else
        require('proflens.flame').open(options.argument and to_uri(options.argument))
      end
    end,
  },

  lines = {
    run = function()
      require('proflens.costs').toggle_lines()
    end,
  },

  ledger = {
    run = function()
      with_status(function(status)
        require('proflens.ledger').open(status)
      end)
    end,
  },

  ['map-path'] = {
    complete = function(lead)
      return vim.fn.getcompletion(lead, 'dir')
    end,
    run = function(options)
      with_status(function(status)
        local repair = require('proflens.repair')
        repair.show(repair.path_lines(status, options.argument), 'all scripts that can be in this workspace are.')
      end)
    end,
  },

  ['choose-map'] = {
    complete = function(lead)
      return vim.fn.getcompletion(lead, 'file')
    end,
    run = function(options)
      with_status(function(status)
        local repair = require('proflens.repair')
        repair.show(repair.map_lines(status, options.argument), 'no source map of the trace is missing.')
      end)
    end,
  },

  record = {
    complete = function(lead, line)
      return require('proflens.record').complete(lead, line)
    end,
    run = function(options)
      require('proflens.record').run(options.argument)
    end,
  },

  previous = {
    run = function()
      with_status(function(status)
        require('proflens.previous').show(status)
      end)
    end,
  },

  next = {
    run = function(options)
      require('proflens.jump').move(options.count or 1)
    end,
  },

  prev = {
    run = function(options)
      require('proflens.jump').move(-(options.count or 1))
    end,
  },

  restart = {
    run = function()
      require('proflens.server').restart()
    end,
  },

  log = {
    run = function()
      require('proflens.log').open()
    end,
  },
}

---`:Proflens {subcommand} [argument]`; without a sub-command it shows what is loaded.
---@param command { fargs: string[], args: string, count: integer }
function M.run(command)
  local name = command.fargs[1]
  if not name then
    with_status(function(status)
      client.notify(require('proflens.ledger').summary(status) .. '.')
    end)
    return
  end
  local subcommand = M.subcommands[name]
  if not subcommand then
    client.notify(
      ('there is no `:Proflens %s`; there are %s.'):format(
        name,
        table.concat(vim.fn.sort(vim.tbl_keys(M.subcommands)), ', ')
      ),
      vim.log.levels.ERROR
    )
    return
  end
  local argument = vim.trim(command.args:sub(#name + 1))
  if argument ~= '' and vim.list_contains({ 'file', 'folder' }, protocol.commands[name].argument) then
    argument = vim.fn.expandcmd(argument)
  end
  local is_step = name == 'next' or name == 'prev'
  subcommand.run({
    argument = argument ~= '' and argument or nil,
    words = vim.list_slice(command.fargs, 2),
    count = is_step and tonumber(argument) or nil,
  })
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local rest = line:match('^.-Proflens%s+(.*)$') or ''
  local name = rest:match('^(%S+)%s')
  if not name then
    return starting_with(lead, vim.fn.sort(vim.tbl_keys(M.subcommands)))
  end
  local subcommand = M.subcommands[name]
  return subcommand and subcommand.complete and subcommand.complete(lead, rest:sub(#name + 2)) or {}
end

---Register the commands that this plugin runs itself when the server names them, for example in a lens.
function M.register()
  for name, command in pairs(protocol.commands) do
    if command.here then
      vim.lsp.commands['proflens.' .. command.id] = function(given)
        M.subcommands[name].run({ arguments = given.arguments })
      end
    end
  end
end

return M
