-- Numbers are written as the server writes them.
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

t.test('shares have two digits', function()
  local shares =
    { [0] = '0 %', [0.00001] = '<0.01 %', [0.00052] = '0.052 %', [0.046] = '4.6 %', [0.18] = '18 %', [1] = '100 %' }
  for share, expected in pairs(shares) do
    t.equal(text.percent(share), expected)
  end
end)

t.test('whole percents are never all or nothing by rounding', function()
  t.equal({ text.whole_percent(0), text.whole_percent(0.004), text.whole_percent(0.94) }, { '0 %', '<1 %', '94 %' })
  t.equal({ text.whole_percent(0.996), text.whole_percent(1) }, { '>99 %', '100 %' })
end)

t.test('counts have thousands', function()
  t.equal({ text.samples(1), text.samples(214), text.samples(12345) }, { '1 sample', '214 samples', '12,345 samples' })
end)
