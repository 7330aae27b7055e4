-- Amounts stand in lines and columns as the server writes them.
local t = ...

local text = require('proflens.text')

t.test('what stands beside an amount is in parentheses', function()
  local amounts = { { ns = 48000000, text = '48.0 ms', beside = '4.6 %' }, { bytes = 0, text = '0 B' } }
  t.equal(vim.tbl_map(text.in_full, amounts), { '48.0 ms (4.6 %)', '0 B' })
end)

t.test('decimal points of a column stand below each other', function()
  t.equal(text.column({ '97.1 ms', '~380 ms', '1.35 s', '12 min 5 s', '889 µs' }), {
    '  97.1  ms     ',
    '~380    ms     ',
    '   1.35 s      ',
    '  12    min 5 s',
    ' 889    µs     ',
  })
  t.equal(text.columns({ { ns = 5, text = '5 ns', beside = '<0.01 %' }, { ns = 0, text = '0 ms' } }), {
    { '5 ns', '<0.01 %' },
    { '0 ms', '       ' },
  })
end)
