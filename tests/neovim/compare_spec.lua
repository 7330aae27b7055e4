-- What is shown against what was measured before: three runs a side, in which `isPrime` costs four times as much, `genPrimes` the
-- same, and `handleClick` is measured after only.
local t = ...

local function hints()
  return vim.tbl_map(function(hint)
    return hint[1] .. ' ' .. hint[3]
  end, t.drawn('hint'))
end

local function status()
  return require('proflens').status()
end

local function numbers()
  return t.marks('proflens.heat', function(details)
    return details.number_hl_group
  end)
end

---@param times table<string, integer>
local function stacks(times)
  local all = { 'main' }
  for name, samples in vim.spairs(times) do
    for _ = 1, samples do
      all[#all + 1] = name
    end
  end
  return all
end

---@param command string
local function list(command)
  vim.fn.setqflist({}, 'r', { title = '', items = {} })
  vim.cmd(command)
  t.eventually('the list', function()
    return #vim.fn.getqflist() > 0
  end)
  vim.cmd.cclose()
  return t.quickfix()
end

local costs, before

t.test('a folder of runs is compared with another', function()
  t.loaded()
  for _, side in ipairs({ 'before', 'after' }) do
    vim.fn.mkdir(side)
    for run = 1, 3 do
      local times = side == 'before' and { isPrime = 25 + run, genPrimes = 60 } or { isPrime = 100 + run, genPrimes = 60 }
      if side == 'after' then
        times.handleClick = 50
      end
      t.write_trace(('%s/%d.speedscope.json'):format(side, run), { stacks(times) })
    end
  end
  vim.cmd('Proflens load after')
  t.eventually('the costs of three runs', function()
    costs = hints()
    return #costs == 2 and costs[1]:find('6.12s · ', 1, true) and vim.startswith(status(), 'after')
  end)
  before = status()
  local said = t.said(function()
    vim.cmd('Proflens compare before')
  end)
  t.equal(said, 'proflens: ×2.4 against before. Of 3 functions: 1 slower, 1 new.')
  t.becomes(hints, { '6 2.04s ▲×3.8' })
  t.becomes(t.lenses, { { 6, '540 ms → 2.04 s (×3.8, slower, p <0.001)' } })
end)

t.test('the statusline says against what', function()
  t.becomes(status, before .. ' · ×2.4 against before')
end)

t.test('the ledger says how it was judged', function()
  vim.cmd('Proflens ledger')
  local ledger = table.concat(t.eventually('the ledger', t.float), '\n')
  t.contains(ledger, '3 runs before, 3 runs after: judged by how much the runs of each side differ.')
  vim.api.nvim_exec_autocmds('CursorMoved', {})
  t.becomes(t.float, nil)
end)

t.test('line numbers have the colours of what changed for certain', function()
  t.becomes(numbers, { '6 ProflensSlower' })
  local colours = {}
  for _, background in ipairs({ 'light', 'dark' }) do
    vim.o.background = background
    colours[#colours + 1] = vim.api.nvim_get_hl(0, { name = 'ProflensSlower' }).fg
  end
  t.equal(#colours, 2)
  assert(colours[1] ~= colours[2])
end)

t.test('signs say which way', function()
  local options = vim.g.proflens
  vim.g.proflens = vim.tbl_extend('force', options, { heat = { signs = true } })
  require('proflens.display').update_all(t.client())
  t.becomes(function()
    return t.marks('proflens.heat', function(details)
      return vim.trim(details.sign_text or '')
    end)
  end, { '6 ▲' })
  vim.g.proflens = options
end)

t.test('the hover has both sides', function()
  vim.api.nvim_win_set_cursor(0, { 15, 18 })
  local lines = table.concat(t.hover(), '\n')
  t.contains(lines, '| Before |  After | Change | Interval (95 %) |')
  t.contains(lines, '3 runs before, 3 runs after')
  vim.cmd('normal! gg0') -- closes it
  vim.api.nvim_exec_autocmds('CursorMoved', {})
  t.becomes(t.float, nil)
end)

t.test('lists are by difference', function()
  t.equal(list('Proflens hot'), {
    'Proflens: functions by difference',
    'generate.js:6:10 isPrime  self 540 ms → 2.04 s (▲×3.8, slower)',
    'main.js:5:16 handleClick  self 0 ms → 1.00 s (new)',
    'generate.js:15:17 genPrimes  self 1.20 s → 1.20 s (0 %, the same)',
  })
  t.equal(list('Proflens hot self 1')[1], 'Proflens: hottest functions')
end)

t.test('one run against several is not certain', function()
  vim.cmd('Proflens load after/1.speedscope.json')
  t.becomes(hints, { '6 2.02s ▲×3.7?' })
  t.becomes(numbers, {})
end)

t.test('what cannot be compared is said', function()
  for argument, sentence in pairs({
    ['nowhere.cpuprofile'] = 'nowhere.cpuprofile cannot be read: there is no such file.',
    nowhere = 'nowhere names nothing, as ',
  }) do
    t.contains(
      t.said(function()
        vim.cmd('Proflens compare ' .. argument)
      end),
      sentence
    )
  end
  t.equal(hints(), { '6 2.02s ▲×3.7?' })
end)

t.test('without a name it is the one before', function()
  vim.fn.mkdir('.proflens/recordings', 'p')
  for age, name in ipairs({ 'new', 'old', 'oldest' }) do
    local file = ('.proflens/recordings/%s.speedscope.json'):format(name)
    t.write_trace(file, { stacks({ isPrime = 30 * age * age }) })
    local time = os.time() - 60 * age
    vim.uv.fs_utime(file, time, time)
  end
  for _, name in ipairs({ 'oldest', 'old', 'new' }) do
    vim.cmd(('Proflens load .proflens/recordings/%s.speedscope.json'):format(name))
    t.eventually('the trace', function()
      return vim.startswith(status(), name)
    end)
  end
  t.equal(
    t.said(function()
      vim.cmd('Proflens compare')
    end),
    'proflens: −75 % against old.speedscope.json. None of 1 function was judged.'
  )
  t.becomes(hints, {})
  vim.cmd('Proflens compare before')
  t.eventually('the comparison with the runs', function()
    return vim.endswith(status(), 'against before')
  end)
end)

t.test('costs come back', function()
  vim.cmd('Proflens load after')
  t.becomes(hints, { '6 2.04s ▲×3.8' })
  vim.cmd('Proflens compare off')
  t.becomes(hints, costs)
  t.becomes(status, before)
  t.equal(list('Proflens hot')[1], 'Proflens: hottest functions')
end)

t.test('files and `off` are completed', function()
  t.completes('Proflens compare o', { 'off' })
  t.completes('Proflens compare bef', { 'before/' })
end)
