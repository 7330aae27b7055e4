-- A trace of several threads: those of the page are shown, and any can be chosen.
local t = ...

local function hints()
  return vim.tbl_map(function(hint)
    return hint[1] .. ' ' .. hint[3]
  end, t.drawn('hint'))
end

t.test('one thread is no choice', function()
  t.loaded()
  t.contains(
    t.said(function()
      vim.cmd('Proflens threads')
    end),
    'primes.cpuprofile has one thread, which is shown'
  )
  t.completes('Proflens threads ', {})
end)

t.test('the page is shown', function()
  t.write_trace('threads.json', { { 'main', 'isPrime', 'isPrime' }, { 'pool 1', 'genPrimes', 'genPrimes' } })
  vim.cmd('Proflens load threads.json')
  t.becomes(hints, { '6 40ms · 40ms', '15 40ms · 40ms' })
  t.becomes(require('proflens').status, 'threads.json · 2 threads · 4 samples · 100 %% placed')
end)

t.test('threads are named', function()
  t.completes('Proflens threads ', { 'all', 'page', 'main', 'pool\\ 1' })
  t.completes('Proflens threads po', { 'pool\\ 1' })
  vim.cmd('Proflens threads pool\\ 1')
  t.becomes(hints, { '15 40ms · 40ms' })
  t.becomes(require('proflens').status, 'threads.json · pool 1 · 2 samples · 100 %% placed')
  vim.cmd('Proflens threads main pool\\ 1')
  t.becomes(hints, { '6 40ms · 40ms', '15 40ms · 40ms' })
  vim.cmd('Proflens threads main')
  t.becomes(hints, { '6 40ms · 40ms' })
  vim.cmd('Proflens threads all')
  t.becomes(hints, { '6 40ms · 40ms', '15 40ms · 40ms' })
end)

t.test('a name that no thread has is reported', function()
  t.contains(
    t.said(function()
      vim.cmd('Proflens threads gpu')
    end),
    'gpu'
  )
  t.equal(hints(), { '6 40ms · 40ms', '15 40ms · 40ms' })
end)

t.test('threads are checked one after the other', function()
  local select, asked, answers = vim.ui.select, {}, { '[x] pool 1', 'Show main' }
  vim.ui.select = function(items, options, on_choice)
    local labels = vim.tbl_map(options.format_item, items)
    asked[#asked + 1] = labels
    for at, label in ipairs(labels) do
      if answers[#asked] and vim.startswith(label, answers[#asked]) then
        return on_choice(items[at], at)
      end
    end
  end
  vim.cmd('Proflens threads')
  t.becomes(hints, { '6 40ms · 40ms' })
  vim.ui.select = select
  t.equal(asked, {
    {
      'Show the 2 checked threads',
      '[x] main · 40.0 ms active, 2 samples',
      '[x] pool 1 · 40.0 ms active, 2 samples',
      'Show the page: the main thread and the workers of its process',
      'Show all threads',
    },
    {
      'Show main',
      '[x] main · 40.0 ms active, 2 samples',
      '[ ] pool 1 · 40.0 ms active, 2 samples',
      'Show the page: the main thread and the workers of its process',
      'Show all threads',
    },
  })
end)

t.test('the page is shown again', function()
  vim.cmd('Proflens threads page')
  t.becomes(hints, { '6 40ms · 40ms', '15 40ms · 40ms' })
end)

t.test('a thread that is not in the trace any more', function()
  vim.cmd('Proflens threads pool\\ 1')
  t.becomes(hints, { '15 40ms · 40ms' })
  t.write_trace('threads.json', { { 'main', 'isPrime', 'isPrime' }, { 'decoder', 'genPrimes' } })
  vim.cmd('Proflens load threads.json')
  t.becomes(hints, { '6 40ms · 40ms', '15 20ms · 20ms' })
  vim.cmd('Proflens ledger')
  t.contains(table.concat(t.eventually('the ledger', t.float), '\n'), 'pool 1')
  vim.api.nvim_exec_autocmds('CursorMoved', {})
  vim.cmd('Proflens threads page')
end)

t.test('select offers the others', function()
  local asked = t.answering('  decoder', function()
    vim.cmd('Proflens select')
  end)
  t.equal(asked, {
    'threads.json (shown)',
    '  main · 40.0 ms active, 2 samples (shown)',
    '  decoder · 20.0 ms active, 1 sample (shown)',
    'primes.cpuprofile',
  })
  t.becomes(hints, { '15 20ms · 20ms' })
  t.becomes(require('proflens').status, 'threads.json · decoder · 1 sample · 100 %% placed')
end)

t.test('another trace has no threads to choose from', function()
  vim.cmd('Proflens select primes.cpuprofile')
  t.becomes(function()
    return (t.drawn('hint')[1] or {})[3]
  end, t.expected('hint', 'generate.js')[1][3])
  t.eventually('the name of the trace', function()
    return vim.startswith(require('proflens').status(), 'primes.cpuprofile · 784 samples · ')
  end)
end)
