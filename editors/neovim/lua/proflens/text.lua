-- Numbers as users read them. The server writes amounts; what is summed up here is written as it does.
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

---An amount with what stands beside it: `12.3 ms (4.6 %)`.
---@param amount proflens.Amount
---@return string
function M.in_full(amount)
  return amount.beside and ('%s (%s)'):format(amount.text, amount.beside) or amount.text
end

---The texts of a column, with their decimal points and their units below each other.
---@param texts string[]
---@return string[]
function M.column(texts)
  local widths = { 0, 0, 0 }
  local rows = vim.tbl_map(function(it)
    local parts = { it:match('^([^%s.]*)(%S*)(.*)$') } -- before the point, from there, the unit
    for at, part in ipairs(parts) do
      widths[at] = math.max(widths[at], vim.fn.strdisplaywidth(part))
    end
    return parts
  end, texts)
  return vim.tbl_map(function(parts)
    local function gap(at)
      return (' '):rep(widths[at] - vim.fn.strdisplaywidth(parts[at]))
    end
    return gap(1) .. parts[1] .. parts[2] .. gap(2) .. parts[3] .. gap(3)
  end, rows)
end

---Amounts, and what stands beside them, each as wide as its column.
---@param amounts proflens.Amount[]
---@return [string, string][]
function M.columns(amounts)
  local texts = M.column(vim.tbl_map(function(it)
    return it.text
  end, amounts))
  local beside = M.column(vim.tbl_map(function(it)
    return it.beside or ''
  end, amounts))
  local rows = {}
  for at in ipairs(amounts) do
    rows[at] = { texts[at], beside[at] }
  end
  return rows
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
