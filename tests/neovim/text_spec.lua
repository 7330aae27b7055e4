-- Numbers are written as the server writes them.
local t = ...

local text = require('proflens.text')

t.test('times have three digits and the unit that fits', function()
  local times = {
    [0] = '0 ms',
    [5] = '5.00 ns',
    [812000] = '812 µs',
    [999499] = '999 µs',
    [999500] = '1.00 ms',
    [12340000] = '12.3 ms',
    [99960000] = '100 ms',
    [1240000000] = '1.24 s',
    [999.9e9] = '1000 s',
    [1000e9] = '16.7 m',
    [120120e9] = '33.4 h',
    [9999000e9] = '116 d',
  }
  for ns, expected in pairs(times) do
    t.equal(text.time(ns), expected)
  end
end)

t.test('amounts say their unit', function()
  local amounts = { { ns = 48000000 }, { bytes = 48000000 }, { bytes = 0 } }
  t.equal(vim.tbl_map(text.amount, amounts), { '48.0 ms', '48.0 MB', '0 B' })
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
