-- A page with a worker, recorded by Chrome: both are shown, the calls of each are found, and one can be chosen.
local t = ...

-- The workspace of the spec becomes that of the page.
local tests = vim.fn.fnamemodify(vim.env.PROFLENS_EXPECTED, ':h:h:h')
vim.fn.system({ 'cp', '-r', tests .. '/workspaces/orders/src', tests .. '/workspaces/orders/tsconfig.json', '.' })
-- A copy is the newest trace of the folder, which is shown.
vim.fn.system({ 'cp', tests .. '/traces/chrome-trace/orders-enhanced-chromium156.json.gz', 'orders.json.gz' })

local function rows()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

t.test('the page is its main thread and its worker', function()
  t.loaded()
  vim.cmd('Proflens load orders.json.gz')
  t.eventually('the page', function()
    return require('proflens').status():find('2 threads', 1, true)
  end)
  t.completes('Proflens threads ', {
    'all',
    'page',
    [[CrRendererMain\ (pid\ 14212,\ tid\ 14212)]],
    [[DedicatedWorker\ thread\ ·\ worker.js\ (pid\ 14212,\ tid\ 14356)]],
  })
end)

t.test('the way of a callback from where the page began', function()
  vim.cmd.edit('src/catalog.ts')
  t.loaded()
  vim.api.nvim_win_set_cursor(0, { 28, 9 })
  vim.cmd('Proflens callers')
  for _, name in ipairs({ 'byName', 'constructor', 'run' }) do
    t.eventually(name, function()
      return vim.fn.search('▸.*' .. name, 'w') > 0
    end)
    t.press('<Tab>')
  end
  t.becomes(rows, {
    'Callers of normal  ~109 ms (11 %)',
    '▾ ~109    ms  11     %  byName  src/catalog.ts:23',
    '  ▾ ~109    ms  11     %  constructor  src/catalog.ts:10',
    '    ▾ ~109    ms  11     %  run  src/main.ts:5',
    '         ~99.8  ms  10     %  called by no function: an event, a timer or the start',
    '      ▸   ~8.98 ms   0.92  %  (top level)  src/main.ts:1',
    '▸ ~518    µs   0.053 %  filter callback  src/catalog.ts:15',
  })
  t.press('q')
end)

t.test('only the worker', function()
  vim.cmd([[Proflens threads DedicatedWorker\ thread\ ·\ worker.js\ (pid\ 14212,\ tid\ 14356)]])
  t.eventually('the worker', function()
    return require('proflens').status():find('worker.js (pid 14212, tid 14356)', 1, true)
  end)
  t.becomes(function()
    return t.drawn('hint')
  end, {})
  vim.cmd.edit('src/worker.ts')
  t.becomes(function()
    return t.drawn('hint')
  end, {
    { 1, 1, '(279µs · 279µs)' },
    { 1, 39, '397ms · 397ms' },
    { 12, 65, '4.77ms · 405ms' },
  })
end)
