-- Whatever is done to a text, each cost that is drawn is at its function. Edits, undos, reloads and checkouts at random, by a
-- seed, beside each of the TypeScript servers: `EDITS=1000 EDITS_SEED=7 SPECS=/edits cargo xtask test neovim`.
local t = ...

local EDITS = tonumber(vim.env.EDITS) or 60
local SEED = tonumber(vim.env.EDITS_SEED) or 1
local SERVERS = { 'typescript-language-server', 'vtsls', 'tsgo' }

---A text with a function of each kind, so many times, and where an engine says that each begins: row and column.
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

---Each function has another cost, of two digits, which hints say in full.
local function write_trace(places)
  local stacks, all = { 'main' }, vim.tbl_keys(places)
  table.sort(all)
  for index, name in ipairs(all) do
    for _ = 1, 14 + index do -- the least of them is worth a hint
      stacks[#stacks + 1] = name
    end
  end
  t.write_trace('many.json', { stacks }, places)
end

---@param text string
---@return integer ms The first number of a hint or lens
local function cost_of(text)
  local number, unit = text:match('([%d.]+) ?(m?s)')
  return math.floor(tonumber(number) * (unit == 's' and 1000 or 1) + 0.5)
end

---What stands beside the text: kind, cost and place of each hint and lens, and the rows of heat.
local function drawn()
  local costs = {}
  for _, kind in ipairs({ 'hint', 'lens' }) do
    for _, place in ipairs(t.drawn(kind)) do
      costs[#costs + 1] = { kind = kind, ms = cost_of(place[3]), row = place[1] - 1, column = place[2] - 1 }
    end
  end
  return costs
end

---What the server says of the text as it is: the functions by their costs.
local function truth()
  local client = require('proflens.client')
  local params = { textDocument = vim.lsp.util.make_text_document_params(0) }
  local costs
  t.eventually('the costs', function() -- not while the last edit is still on its way
    costs = client.request_sync(t.client(), 'proflens/documentCosts', params, 0, 10000)
    return costs
  end)
  local functions = {}
  for _, cost in ipairs(costs.functions) do
    functions[cost.self.ns / 1e6] = cost
  end
  return functions
end

---What is drawn at another place than at its function.
local function misplaced(costs, functions)
  return vim.tbl_filter(function(cost)
    local range = functions[cost.ms] and functions[cost.ms].range
    if not range then
      return true
    end
    -- A lens stands above the first line of its function, a hint in the lines of it.
    local from, to = range.start.line, range['end'].line
    return cost.row < from or cost.row > to or cost.kind == 'lens' and cost.row ~= from
  end, costs)
end

---What is drawn at the first line of another function than its own, which must not be before the server has answered either.
---(Of two copies of a function Neovim may have moved the cost with the one, and the server will say the other.)
local function on_another_function(costs, functions)
  local at = {}
  for ms, cost in pairs(functions) do
    at[cost.selectionRange.start.line] = { ms, cost.name }
  end
  return vim.tbl_filter(function(cost)
    local other = at[cost.row]
    return other and other[1] ~= cost.ms and functions[cost.ms] ~= nil and other[2] ~= functions[cost.ms].name
  end, misplaced(costs, functions))
end

---What is drawn at another place than at its function, and what is measured and not drawn, as sentences.
local function faults()
  local functions, costs = truth(), drawn()
  local found = vim.tbl_map(function(cost)
    return ('a %s of %d ms in row %d'):format(cost.kind, cost.ms, cost.row)
  end, misplaced(costs, functions))
  local hints, heat = {}, {}
  for _, cost in ipairs(costs) do
    hints[cost.ms] = hints[cost.ms] or cost.kind == 'hint'
  end
  for _, mark in ipairs(t.marks('proflens.heat', tostring)) do
    heat[tonumber(mark:match('%d+'))] = true
  end
  for ms, cost in pairs(functions) do
    local first = cost.selectionRange.start.line
    if not hints[ms] or not heat[first + 1] then
      found[#found + 1] = ('%s of %d ms in row %d has no hint or heat'):format(cost.name, ms, first)
    end
  end
  return found
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

---What is written on disk by others while the buffer has no changes.
local function from_outside(change)
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
  ['edit!'] = function()
    vim.cmd('silent edit!')
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

t.beside = SERVERS[1]

t.test('a file beside a server with hints', function()
  t.loaded()
  vim.o.autoread, vim.o.lines, vim.o.showmode, vim.o.report = true, 60, false, 1000
  local lines, places = program(12)
  vim.fn.writefile(lines, 'many.ts')
  make_branches(lines)
  write_trace(places)
  vim.cmd.edit('many.ts')
  vim.cmd('Proflens load many.json')
  t.becomes(faults, {})
  t.equal(vim.tbl_count(truth()), vim.tbl_count(places))
end)

for index, server in ipairs(SERVERS) do
  t.test(('%d edits with the seed %d beside %s'):format(EDITS, SEED, server), function()
    if server ~= t.beside then
      t.stop(vim.lsp.get_clients({ name = t.beside }))
      t.beside = server
      t.start_beside()
    end
    local has_hints = vim.wait(60000, function()
      vim.lsp.inlay_hint.enable(true, { bufnr = 0 }) -- until it has read the file it has none, and says nothing later
      vim.wait(1000)
      vim.cmd('redraw!')
      return #t.hints_beside() > 0
    end)
    assert(has_hints, server .. ' gives no hints')
    math.randomseed(SEED + index)
    for edit = 1, EDITS do
      local action = pick(ACTION_NAMES)
      if edit % 25 == 0 then
        action = 'a checkout' -- there are functions to find again
      end
      ACTIONS[action]()
      local wrong = on_another_function(drawn(), truth())
      assert(#wrong == 0, ('edit %d, %s, at once: %s'):format(edit, action, vim.inspect(wrong)))
      local found
      local is_true = vim.wait(10000, function()
        vim.cmd('redraw!')
        found = faults()
        return #found == 0
      end, 20)
      assert(is_true, ('edit %d, %s: %s'):format(edit, action, vim.inspect(found)))
      local messages = vim.fn.execute('messages')
      assert(not messages:find('Error') and not messages:find('E%d+:'), ('edit %d, %s: %s'):format(edit, action, messages))
    end
  end)
end
