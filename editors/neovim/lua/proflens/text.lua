-- Numbers as users read them, formatted as the server does: three significant digits and a fitting unit.
local M = {}

---@param value number
---@param digits integer Significant ones
---@return string
local function significant(value, digits)
  local magnitude = math.floor(math.log10(value))
  local scale = 10 ^ (digits - 1 - magnitude)
  local rounded = math.floor(value * scale + 0.5) / scale
  -- Rounding may have gained a digit: 99.96 is 100, not 100.0.
  local decimals = math.max(0, digits - 1 - math.floor(math.log10(rounded)))
  return ('%.' .. decimals .. 'f'):format(rounded)
end

---`812 µs`, `12.3 ms`, `1.24 s`, `16.7 m`, `33.4 h`, `116 d`
---@param nanoseconds integer
---@return string
function M.time(nanoseconds)
  if nanoseconds == 0 then
    return '0 ms'
  end
  local small = { { 'ns', 1, 999.5 }, { 'µs', 1e3, 999.5 }, { 'ms', 1e6, 999.5 } }
  local large = { { 's', 1e9, 1000 }, { 'm', 60e9, 1000 }, { 'h', 3600e9, 1000 } }
  for _, unit in ipairs(vim.list_extend(small, large)) do
    if nanoseconds / unit[2] < unit[3] then
      return significant(nanoseconds / unit[2], 3) .. ' ' .. unit[1]
    end
  end
  return significant(nanoseconds / 86400e9, 3) .. ' d'
end

---`812 B`, `12.3 kB`, `48.0 MB`
---@param bytes integer
---@return string
function M.size(bytes)
  if bytes < 999.5 then
    return ('%d B'):format(bytes)
  end
  for _, unit in ipairs({ { 'kB', 1e3 }, { 'MB', 1e6 }, { 'GB', 1e9 } }) do
    if bytes / unit[2] < 999.5 then
      return significant(bytes / unit[2], 3) .. ' ' .. unit[1]
    end
  end
  return significant(bytes / 1e12, 3) .. ' TB'
end

---An amount as users read it, with no more digits than are known.
---@param amount proflens.Amount
---@return string
function M.amount(amount)
  return amount.bytes and M.size(amount.bytes) or amount.text or M.time(amount.ns)
end

---The number of nanoseconds or bytes.
---@param amount proflens.Amount
---@return integer
function M.count(amount)
  return amount.bytes or amount.ns
end

---`18 %`, `4.6 %`, `0.052 %`
---@param share number 0..1
---@return string
function M.percent(share)
  if share == 0 then
    return '0 %'
  elseif share < 0.0001 then
    return '<0.01 %'
  end
  local text = significant(share * 100, 2)
  return (text:find('.', 1, true) and text:gsub('0+$', ''):gsub('%.$', '') or text) .. ' %'
end

---A share in whole percent, which never rounds up to 100 % or down to 0 %.
---@param share number 0..1
---@return string
function M.whole_percent(share)
  if share > 0 and share < 0.01 then
    return '<1 %'
  elseif share > 0.99 and share < 1 then
    return '>99 %'
  end
  return ('%.0f %%'):format(share * 100)
end

---`1 sample`, `12,345 samples`
---@param count integer
---@return string
function M.samples(count)
  local digits = ('%d'):format(count):reverse():gsub('(%d%d%d)', '%1,'):reverse():gsub('^,', '')
  return digits .. (count == 1 and ' sample' or ' samples')
end

return M
