-- Callers and callees as a tree in a window of its own, and as the call hierarchy of the protocol.
local t = ...

local function rows()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

---Ask for a tree at a place, and wait until it says something about a function.
local function tree(command, place, heading)
  vim.api.nvim_win_set_cursor(0, place)
  vim.cmd(command)
  t.becomes(function()
    return vim.bo.filetype == 'proflens' and rows()[1] or nil
  end, heading)
end

---Unfold or fold the row that has a text.
local function unfold(text, key)
  assert(vim.fn.search('\\V' .. text, 'cw') > 0, text)
  t.press(key or '<Tab>')
end

local function place()
  return { vim.fn.fnamemodify(vim.fn.bufname(), ':t'), vim.api.nvim_win_get_cursor(0) }
end

local IS_PRIME, GEN_PRIMES = { 6, 9 }, { 15, 16 }

t.test('callers unfold up to where nothing calls any more', function()
  t.loaded()
  tree('Proflens callers', IS_PRIME, 'Callers of isPrime  570 ms (87 %)')
  t.equal(rows(), {
    'Callers of isPrime  570 ms (87 %)',
    '▸ 570 ms  87 %  genPrimes  generate.js:15',
  })
  unfold('genPrimes')
  t.becomes(rows, {
    'Callers of isPrime  570 ms (87 %)',
    '▾ 570 ms  87 %  genPrimes  generate.js:15',
    '  ▸ 570 ms  87 %  handleClick  main.js:5',
  })
  unfold('handleClick', 'za')
  local all = {
    'Callers of isPrime  570 ms (87 %)',
    '▾ 570 ms  87 %  genPrimes  generate.js:15',
    '  ▾ 570 ms  87 %  handleClick  main.js:5',
    '      570 ms  87 %  called by no function: an event, a timer or the start',
  }
  t.becomes(rows, all)
  unfold('genPrimes', 'o')
  t.becomes(rows, { all[1], (all[2]:gsub('▾', '▸')) })
  unfold('genPrimes')
  t.becomes(rows, all)
end)

t.test('callees of the same function, and back', function()
  t.press('c')
  t.becomes(rows, {
    'Callees of isPrime  570 ms (87 %)',
    '  570 ms  87 %  in isPrime itself',
  })
  t.press('c')
  t.becomes(rows, {
    'Callers of isPrime  570 ms (87 %)',
    '▸ 570 ms  87 %  genPrimes  generate.js:15',
  })
end)

t.test('a row leads to its function, the heading to where one was', function()
  unfold('genPrimes', '<CR>')
  t.becomes(place, { 'generate.js', { 15, 16 } })
  vim.cmd('wincmd j')
  t.equal(vim.bo.filetype, 'proflens')
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  t.press('<CR>')
  t.equal(place(), { 'generate.js', IS_PRIME })
end)

t.test('rows follow edits', function()
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// one', '// two' })
  vim.cmd('wincmd j')
  t.becomes(rows, {
    'Callers of isPrime  570 ms (87 %)',
    '▸ 570 ms  87 %  genPrimes  generate.js:17',
  })
  unfold('genPrimes', '<CR>')
  t.becomes(place, { 'generate.js', { 17, 16 } })
  vim.cmd('silent undo 0')
end)

t.test('a function that is gone from its file', function()
  vim.api.nvim_buf_set_lines(0, 14, 24, false, {})
  vim.cmd('wincmd j')
  t.becomes(rows, {
    'Callers of isPrime  570 ms (87 %)',
    '▸ 570 ms  87 %  genPrimes  is not in generate.js any more',
  })
  t.contains(
    t.said(function()
      unfold('genPrimes', '<CR>')
    end),
    'genPrimes is not in generate.js any more'
  )
  vim.cmd('wincmd k')
  vim.cmd('silent undo 0')
end)

t.test('q closes it', function()
  vim.cmd('wincmd j')
  t.press('q')
  t.equal({ #vim.api.nvim_list_wins(), place()[1] }, { 1, 'generate.js' })
  t.equal(vim.fn.bufexists('proflens://calls'), 0)
end)

t.test('callees, what is no function of the workspace too', function()
  tree('Proflens callees', GEN_PRIMES, 'Callees of genPrimes  582 ms (88 %)')
  t.equal(rows(), {
    'Callees of genPrimes  582 ms (88 %)',
    '▸  570   ms  87    %  isPrime  generate.js:6',
    '   ~10.3 ms   1.6  %  in genPrimes itself',
    '▸ ~889   µs   0.13 %  (garbage collector)  is garbage collection',
  })
  vim.fn.search('garbage')
  t.contains(
    t.said(function()
      t.press('<CR>')
    end),
    '(garbage collector) is no function of this workspace'
  )
  vim.fn.search('itself', 'w')
  t.contains(
    t.said(function()
      t.press('<CR>')
    end),
    'there is no function on this line to go to'
  )
end)

t.test('another trace is asked anew, and what was unfolded stays so', function()
  unfold('isPrime')
  t.becomes(function()
    return #rows()
  end, 5)
  vim.cmd('Proflens load recordings/self-profiling.json')
  t.becomes(rows, {
    'Callees of genPrimes  21.3 ms (82 %)',
    '▾ 14.6  ms  56 %  isPrime  generate.js:6',
    '    14.6  ms  56 %  in isPrime itself',
    '  ~6.70 ms  26 %  in genPrimes itself',
  })
end)

t.test('a function that the next trace lacks, and no trace at all', function()
  t.write_trace('other.json', { { 'main', 'isPrime' } })
  vim.cmd('Proflens load other.json')
  t.becomes(rows, { 'Callees of genPrimes', 'no cost was measured for genPrimes in what is shown now.' })
  vim.cmd('Proflens unload other.json')
  vim.cmd('Proflens unload recordings/self-profiling.json')
  vim.cmd('Proflens unload primes.cpuprofile')
  t.becomes(rows, { 'Callees of genPrimes', 'no trace is loaded; `:Proflens load {file}` takes any.' })
  t.press('q')
  t.contains(
    t.said(function()
      vim.cmd('Proflens callers')
    end),
    'no trace is loaded'
  )
end)

t.test('recursion unfolds as deep as it went', function()
  t.write_trace('recursion.json', { { 'main', 'handleClick', 'handleClick genPrimes isPrime genPrimes' } })
  vim.cmd('Proflens load recursion.json')
  t.loaded()
  vim.cmd.edit('main.js')
  t.loaded()
  tree('Proflens callees', { 5, 15 }, 'Callees of handleClick  40.0 ms (100 %)')
  for depth = 0, 2 do
    local row = (' '):rep(2 * depth) .. '▸'
    t.eventually('the next callee', function()
      return vim.fn.search('^' .. row, 'w') > 0
    end)
    t.press('<Tab>')
  end
  t.becomes(rows, {
    'Callees of handleClick  40.0 ms (100 %)',
    '▾ 20.0 ms  50 %  genPrimes  generate.js:15',
    '  ▾ 20.0 ms  50 %  isPrime  generate.js:6',
    '    ▾ 20.0 ms  50 %  genPrimes  generate.js:15',
    '        20.0 ms  50 %  in genPrimes itself',
    '  20.0 ms  50 %  in handleClick itself',
  })
  t.press('q')
  vim.cmd.buffer('generate.js')
end)

t.test('of many callers a hundred are shown at first', function()
  local stacks = { 'main' }
  for index = 1, 250 do
    stacks[#stacks + 1] = ('caller%03d isPrime'):format(index)
  end
  t.write_trace('many.json', { stacks })
  vim.cmd('Proflens load many.json')
  t.becomes(function()
    return (t.drawn('hint')[1] or {})[3]
  end, '5s · 5s')
  tree('Proflens callers', IS_PRIME, 'Callers of isPrime  5.00 s (100 %)')
  t.equal({ #rows(), rows()[2], rows()[102] }, {
    102,
    '▸ 20.0 ms  0.4 %  caller001  is native code of the engine or the browser',
    '▸ 150 more',
  })
  unfold('150 more', '<CR>')
  t.equal({ #rows(), rows()[202] }, { 202, '▸ 50 more' })
  unfold('50 more')
  t.equal(#rows(), 251)
  t.press('q')
end)

t.test('a place without a function', function()
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  t.contains(
    t.said(function()
      vim.cmd('Proflens callers')
    end),
    'no cost was measured for a function here'
  )
end)

t.test('a lens leads to the callers', function()
  vim.cmd('Proflens select primes.cpuprofile')
  t.becomes(t.lenses, t.without_columns(t.expected('lens', 'generate.js')))
  vim.api.nvim_win_set_cursor(0, { 6, 0 })
  vim.cmd('Proflens callers')
  t.becomes(rows, {
    'Callers of isPrime  570 ms (87 %)',
    '▸ 570 ms  87 %  genPrimes  generate.js:15',
  })
  t.press('q')
end)

t.test('a buffer without code has no function', function()
  vim.cmd.new()
  t.contains(
    t.said(function()
      vim.cmd('Proflens callers')
    end),
    'no cost was measured for a function here'
  )
  vim.cmd.close()
end)

t.test("Neovim's own lists of callers and callees", function()
  t.stop(vim.lsp.get_clients({ name = t.beside })) -- of two servers Neovim asks which, or takes the last
  t.becomes(function()
    return #vim.lsp.get_clients({ bufnr = 0 })
  end, 1)
  vim.api.nvim_win_set_cursor(0, IS_PRIME)
  vim.fn.setqflist({}, 'r', { title = '', items = {} })
  vim.lsp.buf.incoming_calls()
  t.becomes(function()
    return vim.list_slice(t.quickfix(), 2)
  end, { 'generate.js:19:9 genPrimes' })
  vim.cmd.cclose()
  vim.api.nvim_win_set_cursor(0, GEN_PRIMES)
  vim.fn.setqflist({}, 'r', { title = '', items = {} })
  vim.lsp.buf.outgoing_calls()
  t.becomes(function()
    return vim.list_slice(t.quickfix(), 2)
  end, { 'generate.js:19:9 isPrime' })
  vim.cmd.cclose()
end)
