-- Lists to jump from: the hottest functions, files and folders, in the quickfix list or a picker.
local t = ...

---@param command string
local function list(command)
  vim.fn.setqflist({}, 'r', { title = '', items = {} })
  vim.cmd(command)
  t.eventually('the list', function()
    return #vim.fn.getqflist() > 0
  end)
  t.equal(vim.bo.buftype, 'quickfix')
  vim.cmd.cclose()
  return t.quickfix()
end

---The rows without their numbers.
local function names(rows)
  return vim.tbl_map(function(row)
    return (row:gsub('  .*', ''))
  end, rows)
end

t.test('the hottest functions', function()
  t.loaded()
  local rows = list('Proflens hot')
  t.equal(names(rows), {
    'Proflens: hottest functions',
    'generate.js:6:10 isPrime',
    'generate.js:15:17 genPrimes',
    'main.js:5:16 handleClick',
    'main.js:1:1 (top level)',
  })
  t.contains(rows[2], 'isPrime  Self ')
  t.contains(rows[2], ' %) · Total ')
end)

t.test('not more of them than asked for', function()
  t.equal(#list('Proflens hot 2'), 1 + 2)
end)

t.test('a row leads to the function', function()
  list('Proflens hot')
  vim.cmd('silent cc 3')
  t.equal(vim.fn.fnamemodify(vim.fn.bufname(), ':t'), 'main.js')
  t.equal(vim.api.nvim_win_get_cursor(0), { 5, 15 })
  vim.cmd.edit('generate.js')
end)

t.test('asking again renews the list, asking something else makes another', function()
  list('Proflens hot')
  local lists = vim.fn.getqflist({ nr = '$' }).nr
  vim.cmd('Proflens hot')
  vim.wait(200)
  t.equal(vim.fn.getqflist({ nr = '$' }).nr, lists)
  vim.cmd('Proflens hot files')
  t.becomes(function()
    return vim.fn.getqflist({ nr = '$' }).nr
  end, lists + 1)
  vim.cmd.cclose()
end)

t.test('by total', function()
  t.equal(names(list('Proflens hot total 2')), {
    'Proflens: hottest functions by total',
    'main.js:5:16 handleClick',
    'generate.js:15:17 genPrimes',
  })
end)

t.test('files', function()
  local rows = list('Proflens hot files')
  t.equal(names(rows), { 'Proflens: hottest files', 'generate.js:1:0 generate.js', 'main.js:1:0 main.js' })
  t.contains(rows[2], 'generate.js  Self 581 ms (88 %) · Total 582 ms (88 %)')
  list('Proflens hot files')
  vim.cmd('silent cc 2')
  t.equal(vim.fn.fnamemodify(vim.fn.bufname(), ':t'), 'main.js')
  vim.cmd.edit('generate.js')
end)

t.test('folders', function()
  local rows = list('Proflens hot folders total')
  t.equal(rows[1], 'Proflens: hottest folders by total')
  t.equal(#rows, 2)
  t.contains(rows[2], 'Self 586 ms (89 %) · Total 588 ms (89 %)')
end)

t.test('only those with a word in their name or path', function()
  t.equal(names(list('Proflens hot prime')), {
    'Proflens: hottest functions',
    'generate.js:6:10 isPrime',
    'generate.js:15:17 genPrimes',
  })
  t.contains(
    t.said(function()
      vim.cmd('Proflens hot files nonsense')
    end),
    'no measured file has `nonsense` in its name or path'
  )
end)

t.test('the words are completed', function()
  t.completes('Proflens hot f', { 'files', 'folders', 'functions' })
end)

t.test('other plugins find them as symbols of the workspace', function()
  vim.lsp.buf.workspace_symbol('#hot')
  t.becomes(function()
    return vim.tbl_map(function(row)
      return (row:gsub(' in .*', ''):gsub(':%d+ ', ' ')) -- 0.12 names no column of a file that is not open
    end, vim.list_slice(t.quickfix(), 2))
  end, {
    'main.js:5 [Function] handleClick',
    'generate.js:15 [Function] genPrimes',
    'generate.js:6 [Function] isPrime',
    'main.js:1 [Function] (top level)',
  })
  vim.cmd.cclose()
end)

t.test('a picker instead of the quickfix list', function()
  local options = vim.g.proflens
  vim.g.proflens = vim.tbl_extend('force', options, { picker = 'select' })
  local asked = t.answering('handleClick', function()
    vim.cmd('Proflens hot')
  end)
  t.equal(#asked, 4)
  t.equal(vim.fn.fnamemodify(vim.fn.bufname(), ':t'), 'main.js')
  t.equal(vim.api.nvim_win_get_cursor(0), { 5, 15 })
  vim.g.proflens = options
end)

t.test('without a trace a sentence says so', function()
  vim.cmd('Proflens unload primes.cpuprofile')
  t.becomes(function()
    return t.drawn('hint')
  end, {})
  t.contains(
    t.said(function()
      vim.cmd('Proflens hot folders')
    end),
    'no trace is loaded'
  )
end)
