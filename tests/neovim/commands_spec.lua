-- Every sub-command of `:Proflens`, and their completion.
local t = ...

local names = vim.fn.sort(vim.tbl_keys(require('proflens.protocol').commands))

local function first_hint()
  return (t.drawn('hint')[1] or {})[3]
end

local function first_expected()
  return t.expected('hint', 'generate.js')[1][3]
end

local function cursor()
  return vim.api.nvim_win_get_cursor(0)
end

t.test('names are completed', function()
  t.loaded()
  t.completes('Proflens ', names)
  t.completes('Proflens un', { 'unit', 'unload' })
  t.completes('Proflens nonsense ', {})
end)

t.test('arguments are completed', function()
  t.completes('Proflens load ind', { 'index.html' })
  t.completes('Proflens unit ', { 'time', 'percent', 'samples' })
  t.completes('Proflens unload ', { 'primes.cpuprofile' })
  t.completes('Proflens select ', { 'primes.cpuprofile' })
end)

t.test('alone it says what is shown', function()
  t.contains(
    t.said(function()
      vim.cmd('Proflens')
    end),
    'primes.cpuprofile · 784 samples · '
  )
end)

t.test('the statusline says it too', function()
  t.becomes(require('proflens').status, 'primes.cpuprofile · 784 samples · 89 %% placed')
end)

t.test('a wrong name is reported', function()
  t.contains(
    t.said(function()
      vim.cmd('Proflens nonsense')
    end),
    'there is no `:Proflens nonsense`; there are all, callees, callers, choose-map, compare, compare-off, flame, focus, hot, '
  )
end)

t.test('unit goes round, in trees and lists that are open too', function()
  vim.o.lines = 60
  vim.cmd('Proflens hot 2')
  t.eventually('the list', function()
    return #vim.fn.getqflist() > 0
  end)
  vim.cmd('normal! G')
  vim.cmd('wincmd p')
  vim.api.nvim_win_set_cursor(0, { 15, 16 })
  vim.cmd('Proflens callees')
  t.eventually('the tree', function()
    return vim.bo.filetype == 'proflens'
  end)
  local tree = vim.api.nvim_get_current_buf()
  vim.cmd('wincmd t')
  vim.cmd('normal! gg')
  local source = vim.api.nvim_get_current_buf()
  ---A hint, a lens, a row of a tree and one of a list, and where the cursor is in the list.
  local function shown()
    local list = vim.fn.getqflist({ items = 1, winid = 1 })
    return {
      first_hint(),
      (t.lenses(source)[2] or {})[2],
      vim.api.nvim_buf_get_lines(tree, 0, 3, false),
      list.items[2].text,
      vim.api.nvim_win_get_cursor(list.winid)[1],
    }
  end
  local time = {
    '570ms · 570ms',
    'Self ~10.3 ms (1.6 %) · Total 582 ms (88 %) · 567 samples',
    {
      'Callees of genPrimes  582 ms (88 %)',
      '▸  570   ms  87    %  isPrime  generate.js:6',
      '   ~10.3 ms   1.6  %  in genPrimes itself',
    },
    'genPrimes  Self ~10.3 ms (1.6 %) · Total 582 ms (88 %)',
    2,
  }
  t.becomes(shown, time)
  vim.cmd('Proflens unit')
  t.becomes(shown, {
    '87% · 87%',
    'Self 1.6 % · Total 88 % · 567 samples',
    {
      'Callees of genPrimes  88 % (582 ms)',
      '▸ 87    %   570   ms  isPrime  generate.js:6',
      '   1.6  %   ~10.3 ms  in genPrimes itself',
    },
    'genPrimes  Self 1.6 % (~10.3 ms) · Total 88 % (582 ms)',
    2,
  })
  vim.cmd('Proflens unit')
  t.becomes(shown, {
    '558 · 558',
    'Self 8 samples (1.6 %) · Total 567 samples (88 %)',
    {
      'Callees of genPrimes  567 samples (88 %)',
      '▸ 558 samples  87    %  isPrime  generate.js:6',
      '    8 samples   1.6  %  in genPrimes itself',
    },
    'genPrimes  Self 8 samples (1.6 %) · Total 567 samples (88 %)',
    2,
  })
  vim.cmd('Proflens unit')
  t.becomes(shown, time)
  vim.cmd('only')
end)

t.test('unit takes a name', function()
  vim.cmd('Proflens unit percent')
  t.eventually('percent', function()
    return (first_hint() or ''):find('% · ', 1, true)
  end)
  vim.cmd('Proflens unit time')
  t.becomes(first_hint, first_expected())
end)

t.test('toggle hides and shows', function()
  vim.cmd('Proflens toggle')
  t.becomes(t.lenses, {})
  t.becomes(first_hint, nil)
  vim.cmd('Proflens toggle')
  t.becomes(first_hint, first_expected())
end)

t.test('next and prev go from one hot function to the other, and round', function()
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local function go(command)
    vim.cmd(command)
    return cursor()
  end
  local is_prime, gen_primes = { 6, 9 }, { 15, 16 }
  t.equal(go('Proflens next'), is_prime)
  t.equal(go('Proflens next'), gen_primes)
  t.equal(go('Proflens next'), is_prime)
  t.equal(go('Proflens prev'), gen_primes)
  t.equal(go('Proflens prev'), is_prime)
  t.equal(go('Proflens next 2'), is_prime)
  vim.o.wrapscan = false
  t.contains(
    t.said(function()
      vim.cmd('Proflens prev')
    end),
    'no hot function above'
  )
  t.equal(cursor(), is_prime)
  vim.o.wrapscan = true
end)

t.test('mappings take a count', function()
  vim.keymap.set('n', ']h', '<Plug>(proflens-next-hot)')
  vim.keymap.set('n', '[h', '<Plug>(proflens-prev-hot)')
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.cmd('normal 2]h')
  t.equal(cursor(), { 15, 16 })
  vim.cmd('normal [h')
  t.equal(cursor(), { 6, 9 })
end)

t.test('the ledger adds up', function()
  vim.cmd('Proflens ledger')
  local lines = t.eventually('the ledger', t.float)
  t.equal(lines, {
    'primes.cpuprofile · 784 samples · 89 % placed',
    '',
    '  586    ms  89    %  On functions of this workspace',
    '  ~60.8  ms   9.2  %  Native work outside any JavaScript',
    '   ~9.40 ms   1.4  %  Code that came from no file',
    '                        _hasScopeClause',
    '                        elementState',
    '                        innerSerialize',
    '   ~2.12 ms   0.32 %  Native code of the engine or the browser',
    '                        addEventListener',
    '                        querySelector',
    ' ~889    µs   0.13 %  Garbage collection',
    '                        (garbage collector)',
    ' ~176    ms           Idle',
    '  835    ms           Altogether',
  })
  vim.api.nvim_exec_autocmds('CursorMoved', {})
  t.becomes(t.float, nil)
end)

t.test('there is nothing to add to the settings where everything is found', function()
  t.contains(
    t.said(function()
      vim.cmd('Proflens choose-map')
    end),
    'no source map of the trace is missing'
  )
  t.contains(
    t.said(function()
      vim.cmd('Proflens map-path')
    end),
    'all scripts that can be in this workspace are'
  )
end)

t.test('what the server asks stops no work', function()
  local answer
  t.contains(
    t.said(function()
      answer = require('proflens.messages').show_request({
        type = 2,
        message = 'dist/app.js.map is missing.',
        actions = { { title = 'Choose map…' }, { title = 'Ignore' } },
      })
    end),
    'dist/app.js.map is missing. See `:Proflens choose-map`.'
  )
  t.equal(answer, vim.NIL)
end)

t.test('what is to be added to the settings', function()
  local repair = require('proflens.repair')
  local rows = { { why = 'not-in-workspace', examples = { 'http://localhost:3000/a/b.js' } } }
  local lost = { { generated = vim.uri_from_fname(vim.fn.getcwd() .. '/dist/app.js'), wanted = '/x', self = { ns = 1 } } }
  local status = { ledger = { rows = rows }, lostMaps = lost }
  t.contains(
    table.concat(repair.path_lines(status, 'public'), '\n'),
    '{ from = "http://localhost:3000/", to = "${workspaceFolder}/public/" }'
  )
  t.contains(table.concat(repair.map_lines(status, 'maps/app.map'), '\n'), '["dist/app.js"] = "maps/app.map"')
end)

t.test('unload takes the hints away, select brings them back', function()
  vim.cmd('Proflens unload primes.cpuprofile')
  t.becomes(first_hint, nil)
  vim.cmd('Proflens select primes.cpuprofile')
  t.becomes(first_hint, first_expected())
end)

t.test('load asks for a file', function()
  t.answering('recordings/self-profiling.json', function()
    vim.cmd('Proflens load')
  end)
  t.eventually('other hints', function()
    local now = first_hint()
    return now and now ~= first_expected()
  end)
end)

t.test('select asks which trace', function()
  local asked = t.answering('primes.cpuprofile', function()
    vim.cmd('Proflens select')
  end)
  table.sort(asked)
  t.equal(asked, { 'primes.cpuprofile', 'recordings/self-profiling.json (shown)' })
  t.becomes(first_hint, first_expected())
end)

t.test('a file that is no trace is reported', function()
  t.contains(
    t.said(function()
      vim.cmd('Proflens load index.html')
    end),
    'index.html'
  )
  t.equal(first_hint(), first_expected())
end)

t.test('unload asks which trace', function()
  local asked = t.answering('index.html', function()
    vim.cmd('Proflens unload')
  end)
  table.sort(asked)
  t.equal(asked, { 'index.html (cannot be read)', 'primes.cpuprofile (shown)' })
  t.completes('Proflens unload ', { 'primes.cpuprofile' })
end)

t.test('unload asks nothing when there is only one', function()
  vim.cmd('Proflens unload')
  t.becomes(first_hint, nil)
  vim.cmd('Proflens select primes.cpuprofile')
  t.becomes(first_hint, first_expected())
end)

t.test('the log has what the server said', function()
  vim.cmd('Proflens log')
  t.equal(vim.fn.bufname(), 'proflens://log')
  t.contains(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'), 'primes.cpuprofile')
  vim.cmd.close()
end)

t.test('restart starts another server', function()
  local before = t.client().id
  vim.cmd('Proflens restart')
  t.eventually('another client', function()
    local client = vim.lsp.get_clients({ name = 'proflens', bufnr = 0 })[1]
    return client and client.id ~= before
  end)
  t.becomes(first_hint, first_expected())
  t.equal(#vim.lsp.get_clients({ name = 'proflens' }), 1)
end)

t.test('a tree outlives its server, and says when there is none', function()
  vim.api.nvim_win_set_cursor(0, { 6, 9 })
  vim.cmd('Proflens callers')
  local function rows()
    return vim.api.nvim_buf_get_lines(0, 1, -1, false)
  end
  t.becomes(rows, { '▸ 570 ms  87 %  genPrimes  generate.js:15' })
  local before = vim.lsp.get_clients({ name = 'proflens' })[1].id
  vim.cmd('Proflens restart')
  t.eventually('another client', function()
    local client = vim.lsp.get_clients({ name = 'proflens' })[1]
    return client and client.id ~= before and client.initialized
  end)
  t.press('<Tab>')
  t.becomes(rows, {
    '▾ 570 ms  87 %  genPrimes  generate.js:15',
    '  ▸ 570 ms  87 %  handleClick  main.js:5',
  })
  vim.lsp.get_clients({ name = 'proflens' })[1].rpc.terminate()
  t.becomes(function()
    return #vim.lsp.get_clients({ name = 'proflens' })
  end, 0)
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  t.press('<Tab>')
  t.becomes(function()
    return rows()[3]
  end, '    no server runs.')
  t.press('q')
end)
