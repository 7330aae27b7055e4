-- Lists to jump from: the hottest functions and the callers of one, in the quickfix list or a picker.
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
  vim.cmd.cclose()
  vim.api.nvim_win_set_cursor(0, { 6, 9 })
  vim.cmd('Proflens callers')
  t.becomes(function()
    return vim.fn.getqflist({ nr = '$' }).nr
  end, lists + 1)
  vim.cmd.cclose()
end)

t.test('the callers of the function under the cursor', function()
  vim.api.nvim_win_set_cursor(0, { 6, 9 })
  t.equal(names(list('Proflens callers')), { 'Proflens: callers of isPrime', 'generate.js:15:17 genPrimes' })
end)

t.test('a place without a function has no callers', function()
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  t.contains(
    t.said(function()
      vim.cmd('Proflens callers')
    end),
    'no cost was measured for a function here'
  )
end)

t.test('a lens leads to the callers', function()
  t.becomes(function()
    return #t.lenses()
  end, #t.expected('lens', 'generate.js'))
  vim.api.nvim_win_set_cursor(0, { 6, 0 })
  vim.fn.setqflist({}, 'r', { title = '', items = {} })
  vim.lsp.codelens.run()
  t.becomes(function()
    return names(t.quickfix())
  end, { 'Proflens: callers of isPrime', 'generate.js:15:17 genPrimes' })
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
