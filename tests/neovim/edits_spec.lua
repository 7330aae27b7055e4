-- Whatever is done to a text, each cost that is drawn is where `documentCosts` says. Edits, undos, reloads, checkouts and
-- windows at random, by a seed, beside each of the TypeScript servers: `EDITS=1000 EDITS_SEED=7 SPECS=/edits cargo xtask editor neovim`.
local t = ...

local EDITS = tonumber(vim.env.EDITS) or 60
local SEED = tonumber(vim.env.EDITS_SEED) or 1
local SERVERS = { 'typescript-language-server', 'vtsls', 'tsgo' }

---A text with a function of each kind, this many times, and where an engine says that each begins: row and column.
local function program(times)
  local lines, places = {}, {}
  local function add(line, name)
    lines[#lines + 1] = line
    if name then
      places[name] = { 'many.ts', #lines, (line:find('(', 1, true)) }
    end
  end
  for n = 1, times do
    add(('export function plain%d(depth = %d, name?: string) {'):format(n, n), 'plain' .. n)
    add(("  const é%d = ['😀', name ?? depth].join('');"):format(n))
    add(('  return é%d.length > %d ? { depth } : undefined;'):format(n, n))
    add('}')
    add('')
    add(('const arrow%d = async (of: number[]) => {'):format(n), 'arrow' .. n)
    add(('  return of.map((it) => it * %d).filter((it) => it > %d);'):format(n, 2 * n))
    add('};')
    add('')
    add(('export class Box%d<T> {'):format(n))
    add('  private readonly items: T[] = [];')
    add(('  method%d(item: T, at = this.items.length) {'):format(n), 'method' .. n)
    add(('    this.items.splice(at, %d, item);'):format(n))
    add(('    return this.items.slice(%d);'):format(3 * n))
    add('  }')
    add('}')
    add('')
  end
  return lines, places
end

---Each function has another cost, of two digits, which hints say in full. All of it is in its second line.
local function write_trace(places)
  local nodes, samples, deltas, names = {}, {}, {}, vim.tbl_keys(places)
  table.sort(names)
  local function node(name, line, column, ticks)
    local frame = { functionName = name, scriptId = '1', lineNumber = line, columnNumber = column }
    frame.url = ticks and vim.uri_from_fname(vim.fn.getcwd() .. '/many.ts') or ''
    nodes[#nodes + 1] = { id = #nodes + 1, callFrame = frame, hitCount = ticks and ticks.ticks, positionTicks = { ticks } }
  end
  node('(root)', -1, -1)
  nodes[1].children = {}
  for index, name in ipairs(names) do
    local count = 14 + index -- the least of them is worth a hint
    local row, column = places[name][2], places[name][3]
    node(name, row - 1, column - 1, { line = row + 1, ticks = count })
    table.insert(nodes[1].children, #nodes)
    for _ = 1, count do
      samples[#samples + 1], deltas[#deltas + 1] = #nodes, 20000
    end
  end
  local trace = { nodes = nodes, startTime = 0, endTime = #samples * 20000, samples = samples, timeDeltas = deltas }
  vim.fn.writefile({ vim.json.encode(trace) }, 'many.cpuprofile')
end

---@param text string
---@return integer ms The first number of a hint or lens
local function cost_of(text)
  local number, unit = text:match('([%d.]+) *(m?s)')
  assert(number, ('no cost in %q'):format(text))
  return math.floor(tonumber(number) * (unit == 's' and 1000 or 1) + 0.5)
end

---@class proflens.test.Drawn
---@field kind 'hint'|'lens'|'line'|'heat'
---@field row integer From 0, as the server counts
---@field ms? integer The cost that it says; heat says none

---What stands beside the text.
---@return proflens.test.Drawn[]
local function drawn()
  local costs = {}
  for _, kind in ipairs({ 'hint', 'lens', 'line' }) do
    for _, place in ipairs(t.drawn(kind)) do
      for _, text in ipairs(vim.split(place[3], ' | ', { plain = true })) do -- the lenses of one line
        costs[#costs + 1] = { kind = kind, ms = cost_of(text), row = place[1] - 1 }
      end
    end
  end
  for _, place in ipairs(t.drawn('heat')) do
    costs[#costs + 1] = { kind = 'heat', row = place[1] - 1 }
  end
  return costs
end

---@class proflens.test.Truth
---@field functions table<integer, proflens.FunctionCosts> By their costs
---@field lines proflens.LineCosts[]

---What the server says of the text as it is.
---@return proflens.test.Truth
local function truth()
  local function ask()
    local params = { textDocument = vim.lsp.util.make_text_document_params(0) }
    return (require('proflens.client').request_sync(t.client(), 'proflens/documentCosts', params, 0, 10000))
  end
  local costs = ask() or t.eventually('the costs', ask) -- not while the last edit is still on its way
  local functions = {}
  for _, cost in ipairs(costs.functions) do
    functions[cost.self.ns / 1e6] = cost
  end
  return { functions = functions, lines = costs.lines }
end

---What is drawn where another function than its own begins, as sentences.
---@param costs proflens.test.Drawn[]
---@param now proflens.test.Truth
local function on_another_function(costs, now)
  local at = {} ---@type table<integer, proflens.FunctionCosts> By first row
  for _, cost in pairs(now.functions) do
    at[cost.selectionRange.start.line] = cost
  end
  local found = {}
  for _, cost in ipairs(costs) do
    local other, own = at[cost.row], now.functions[cost.ms]
    local is_own = own and own.range.start.line <= cost.row and cost.row <= own.range['end'].line
    if cost.ms and other and not is_own then
      local sentence = 'a %s of %d ms (%s) is in row %d, where %s begins'
      local whose = own and ('of %s, from row %d'):format(own.name, own.range.start.line) or 'of a function that is gone'
      found[#found + 1] = sentence:format(cost.kind, cost.ms, whose, cost.row, other.name)
    end
  end
  return found
end

---Whether a row, from 0, is in the window.
---@param row integer
---@return boolean
local function is_visible(row)
  return vim.fn.line('w0') <= row + 1 and row + 1 <= vim.fn.line('w$')
end

---What is measured and not drawn, and what is drawn and not so: all of it, but for lenses out of sight.
---@param costs proflens.test.Drawn[]
---@param now proflens.test.Truth
local function faults(costs, now)
  local functions = now.functions
  local expected, seen = {}, {}
  local function add(to, kind, ms, row)
    to[('%s%s in row %d'):format(kind, ms and (' of %d ms'):format(ms) or '', row)] = true
  end
  for ms, cost in pairs(functions) do
    local first = cost.range.start.line
    if is_visible(first) then
      add(expected, 'lens', ms, first)
    end
    add(expected, 'heat', nil, cost.selectionRange.start.line)
  end
  for _, cost in ipairs(now.lines) do
    add(expected, 'line', cost.self.ns / 1e6, cost.line)
  end
  local wrong, hints = {}, {}
  for _, cost in ipairs(costs) do
    local own = functions[cost.ms]
    add(seen, cost.kind, cost.ms, cost.row)
    -- A hint stands at the end of the header, which is in some line of its function.
    if cost.kind == 'hint' and own and cost.row >= own.range.start.line and cost.row <= own.range['end'].line then
      hints[cost.ms] = true
    elseif cost.kind == 'hint' or cost.kind == 'lens' and (not own or cost.row ~= own.range.start.line) then
      add(wrong, cost.kind, cost.ms, cost.row)
    elseif cost.kind == 'line' or cost.kind == 'heat' then
      add(wrong, cost.kind, cost.ms, cost.row)
    end
  end
  for ms, cost in pairs(functions) do
    if not hints[ms] then
      add(expected, 'hint', ms, cost.selectionRange.start.line)
    end
  end
  local function without(these, those)
    local left = vim.tbl_filter(function(key)
      return not those[key]
    end, vim.tbl_keys(these))
    table.sort(left)
    return left
  end
  return { missing = without(expected, seen), wrong = without(wrong, expected) }
end

---Wait until all that is drawn is at its function, and all that is measured is drawn. Never, before the server has answered
---either, may a cost be on another function.
local function all_is_true()
  t.becomes(function()
    -- Neovim says so when it waits for keys, which it does not while a test runs.
    vim.api.nvim_exec_autocmds('WinScrolled', { pattern = tostring(vim.api.nvim_get_current_win()) })
    local costs, now = drawn(), truth()
    local wrong = on_another_function(costs, now)
    assert(#wrong == 0, vim.inspect(wrong))
    return faults(drawn(), now)
  end, { missing = {}, wrong = {} })
end

local function pick(of)
  return of[math.random(#of)]
end

local function git(...)
  local done = vim.system({ 'git', '-c', 'user.name=a', '-c', 'user.email=a@b', ... }, { text = true }):wait()
  assert(done.code == 0, done.stderr)
end

local function row()
  return math.random(vim.api.nvim_buf_line_count(0))
end

local function set_cursor()
  local at = row()
  vim.fn.setcursorcharpos(at, math.random(0, vim.fn.strchars(vim.fn.getline(at))) + 1)
end

---Neovim itself has errors (E315) where several windows show a text that is read again and is shorter, without any plugin too.
local function in_one_window()
  vim.cmd('silent only')
end

---What is written on disk by others while the buffer has no changes.
local function from_outside(change)
  in_one_window()
  vim.cmd('silent write!')
  change()
  vim.cmd('silent checktime')
end

local SNIPPETS = { 'x', '}', '{', '😀', '// é', '"', '()', ' => ', 'function late() {}', '\t', 'return;' }

---@type table<string, fun()>
local ACTIONS = {
  ['a line is added'] = function()
    local at = row()
    vim.api.nvim_buf_set_lines(0, at, at, false, { pick({ '// é', '', 'const late = (a: number) => a;', 'if (true) {' }) })
  end,
  ['lines are deleted'] = function()
    local at = row()
    vim.api.nvim_buf_set_lines(0, at - 1, at - 1 + math.random(4), false, {})
  end,
  ['text is typed'] = function()
    set_cursor()
    t.press('i' .. pick(SNIPPETS) .. '<Esc>')
  end,
  ['a line is opened'] = function()
    set_cursor()
    t.press('o' .. pick(SNIPPETS) .. '<CR>' .. pick(SNIPPETS) .. '<Esc>')
  end,
  ['a word is replaced'] = function()
    set_cursor()
    t.press('ciw' .. pick({ 'other', 'é', 'depth' }) .. '<Esc>')
  end,
  ['text stands before a header'] = function()
    vim.cmd('silent! ' .. row() .. [[s/^/\/* é😀 *\/ /]])
  end,
  ['lines are joined'] = function()
    set_cursor()
    t.press('J')
  end,
  ['lines are moved'] = function()
    local at = row()
    vim.cmd(('silent! %d,%dmove %d'):format(at, math.min(at + math.random(0, 16), vim.fn.line('$')), row()))
  end,
  ['lines are copied'] = function()
    local at = row()
    vim.cmd(('silent! %d,%dcopy %d'):format(at, math.min(at + math.random(0, 16), vim.fn.line('$')), row()))
  end,
  ['lines are cut and put'] = function()
    set_cursor()
    t.press(math.random(9) .. 'dd')
    set_cursor()
    t.press('p')
  end,
  ['undo'] = function()
    vim.cmd(('silent! undo | ' ):rep(math.random(3)) .. 'normal! l')
  end,
  ['redo'] = function()
    vim.cmd('silent! redo')
  end,
  ['an older text'] = function()
    vim.cmd('silent! earlier ' .. math.random(8))
  end,
  ['everything is formatted'] = function()
    local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
    vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.tbl_map(function(line)
      return (line:gsub('^%s+', '%0%0'))
    end, lines))
  end,
  ['a filter'] = function()
    vim.cmd('silent %!cat')
  end,
  ['another program writes'] = function()
    from_outside(function()
      local lines = vim.fn.readfile('many.ts')
      for _ = 1, math.random(5) do
        table.insert(lines, math.random(#lines + 1), '// from outside')
      end
      vim.fn.writefile(lines, 'many.ts')
    end)
  end,
  ['a checkout'] = function()
    from_outside(function()
      git('checkout', '--quiet', '--force', pick({ 'one', 'two', 'three' }))
    end)
  end,
  ['a checkout while another file is looked at'] = function()
    from_outside(function()
      vim.cmd('silent edit main.js')
      git('checkout', '--quiet', '--force', pick({ 'one', 'two', 'three' }))
      vim.cmd('silent checktime')
      vim.cmd('silent buffer many.ts')
    end)
  end,
  ['edit!'] = function()
    in_one_window()
    vim.cmd('silent edit!')
  end,
  ['another window'] = function()
    vim.cmd(vim.fn.winnr('$') < 3 and pick({ 'split', 'vsplit' }) or 'only')
    vim.cmd(tostring(row()))
  end,
  ['a later text'] = function()
    vim.cmd('silent! later ' .. math.random(8))
  end,
}
local ACTION_NAMES = vim.fn.sort(vim.tbl_keys(ACTIONS))

---Branches in which the functions stand in another order, below other lines, and without some of them.
local function make_branches(lines)
  git('init', '--quiet', '--initial-branch', 'one')
  git('add', 'many.ts')
  git('commit', '--quiet', '--message', 'one')
  local half = math.floor(#lines / 34) * 17
  local two = vim.list_extend({ '// two', '' }, vim.list_slice(lines, half + 1))
  for name, text in pairs({ two = vim.list_extend(two, vim.list_slice(lines, 1, half)), three = vim.list_slice(lines, 18) }) do
    git('checkout', '--quiet', '-b', name, 'one')
    vim.fn.writefile(text, 'many.ts')
    git('commit', '--quiet', '--all', '--message', name)
  end
  git('checkout', '--quiet', 'one')
end

---One edit, and all that must be true after it.
---@param action string
local function make_edit(action)
  ACTIONS[action]()
  all_is_true()
  local messages = vim.fn.execute('messages')
  assert(not messages:find('Error') and not messages:find('E%d+:'), messages)
end

t.beside = SERVERS[1]

t.test('a file beside a server with hints', function()
  t.loaded()
  vim.o.autoread, vim.o.lines, vim.o.showmode, vim.o.report = true, 60, false, 1000
  local lines, places = program(12)
  vim.fn.writefile(lines, 'many.ts')
  make_branches(lines)
  write_trace(places)
  vim.cmd.edit('many.ts')
  vim.cmd('Proflens load many.cpuprofile')
  vim.cmd('silent Proflens lines')
  t.becomes(function()
    local now = truth()
    return { vim.tbl_count(now.functions), #now.lines }
  end, { vim.tbl_count(places), vim.tbl_count(places) })
  all_is_true()
end)

for index, server in ipairs(SERVERS) do
  t.test(('%d edits with the seed %d beside %s'):format(EDITS, SEED, server), function()
    if server ~= t.beside then
      t.stop(vim.lsp.get_clients({ name = t.beside }))
      t.beside = server
      t.start_beside()
    end
    local beside = t.eventually(server, function()
      return vim.lsp.get_clients({ name = server, bufnr = 0 })[1]
    end)
    t.eventually('a hint of ' .. server, function() -- until it has read the file it has none, and says nothing later
      return #t.asked_for_hints(beside) > 0
    end)
    vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
    t.eventually('a hint of ' .. server .. ' on the screen', function()
      return #t.hints_beside() > 0
    end)
    math.randomseed(SEED * #SERVERS + index)
    for edit = 1, EDITS do
      local action = pick(ACTION_NAMES)
      if edit % 25 == 0 or edit == EDITS then
        action = 'a checkout' -- there are functions to find again
      end
      local ok, problem = pcall(make_edit, action)
      assert(ok, ('edit %d, %s: %s'):format(edit, action, problem))
    end
    vim.lsp.inlay_hint.enable(false, { bufnr = 0 })
    vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
    t.eventually('what ' .. server .. ' gives after all edits', function()
      return (#t.hints_beside() > 0) == (#t.asked_for_hints(beside) > 0)
    end)
  end)
end
