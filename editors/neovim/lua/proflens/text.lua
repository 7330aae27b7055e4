-- Amounts in lines and columns. The server writes their texts.
local M = {}

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

return M
