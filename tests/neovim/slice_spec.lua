-- A slice of a thousand sessions: its costs are at the functions of the original sources, and the hover has those of a session.
local t = ...

-- The workspace of the spec becomes that of the slice.
local tests = vim.fn.fnamemodify(vim.env.PROFLENS_EXPECTED, ':h:h:h')
vim.fn.system({ 'cp', '-r', tests .. '/workspaces/orders/src', tests .. '/workspaces/orders/tsconfig.json', '.' })
vim.fn.system({ 'cp', tests .. '/traces/slice/orders-release-42.slice.gz', '.' })

t.test('hints are at the functions of the sources', function()
  -- It is the newest trace of the folder.
  t.eventually('the slice', function()
    return require('proflens').status():find('orders-release-42.slice.gz · 181,304 samples', 1, true)
  end)
  vim.o.lines = 60
  vim.cmd.edit('src/catalog.ts')
  t.loaded()
  t.becomes(function()
    return vim.tbl_map(function(hint)
      return hint[1] .. ' ' .. hint[3]
    end, t.drawn('hint'))
  end, {
    '10 2.8s · 1.5min',
    '14 1.85s total',
    '15 281ms · 1.85s',
    '23 13.8s · 1.4min',
    '28 1.2min · 1.2min',
  })
end)

t.test('a hover has the percentiles of a session', function()
  vim.api.nvim_win_set_cursor(0, { 28, 10 })
  local lines = table.concat(t.hover(), '\n')
  t.contains(lines, 'In 731 of 1,000 sessions')
  t.contains(lines, '| Per session |    Mean |     p50 |    p75 |    p95 |')
  t.contains(lines, '| Self        | ~100 ms | 40.4 ms | 110 ms | 382 ms |')
  t.contains(lines, '| Total       | ~102 ms | 49.8 ms | 110 ms | 398 ms |')
end)
