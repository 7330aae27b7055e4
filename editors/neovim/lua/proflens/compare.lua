-- What changed: compares what is shown with recordings before, and says in which order and colour changes are shown.
local client = require('proflens.client')

local M = {}

---What follows `:Proflens compare` besides files and commits.
M.words = { 'off' }

---@type table<proflens.Verdict, string> The groups of what changed for certain
local GROUPS = { regression = 'ProflensSlower', improvement = 'ProflensFaster', new = 'ProflensNew' }

---The highlight group of a change, and its sign; none if it is not certain.
---@param change proflens.CostChange
---@return string? group
---@return string? sign
function M.mark(change)
  local group = GROUPS[change.verdict]
  local signs = { ProflensSlower = '▲', ProflensFaster = '▼', ProflensNew = '+' }
  return group, signs[group]
end

---What is compared with, for the server: files and folders, or a commit; without any, the recording before.
---@param words string[]
---@return proflens.CompareParams
local function params_of(words)
  if #words == 0 then
    return { before = 'previous' }
  end
  local paths = vim.tbl_map(function(word)
    local path = vim.fn.fnamemodify(vim.fs.normalize(vim.fn.expandcmd(word)), ':p')
    return (path:gsub('(.)/$', '%1'))
  end, words)
  local are_files = vim.iter(paths):all(function(path)
    return vim.uv.fs_stat(path) ~= nil
  end)
  -- What looks like a path is one: the server says that it is not there.
  if are_files or #words > 1 or words[1]:find('%.%w+$') then
    return { before = paths }
  end
  return { rev = words[1] }
end

---Show costs again.
function M.stop()
  client.execute('stopComparing', {})
end

---`:Proflens compare [before]`
---@param words string[]
function M.run(words)
  if words[1] == 'off' then
    M.stop()
    return
  end
  client.execute('compareWith', { params_of(words) }, function(comparison)
    if comparison then
      -- More than a line would wait for a key; `:Proflens ledger` has all of it.
      local outcome = comparison.sentence:match('[^\n]*$')
      client.notify(('%s. %s'):format(M.summary(comparison), outcome))
    end
  end)
end

---@param lead string
---@return string[]
function M.complete(lead)
  local words = vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, M.words)
  return vim.list_extend(words, vim.fn.getcompletion(lead, 'file'))
end

---What the statusline says: `+13 % against before`.
---@param comparison proflens.ComparisonStatus
---@return string
function M.summary(comparison)
  return ('%s against %s'):format(comparison.active.text, comparison.title)
end

---A row of a list: `price  self 50.4 ms → 145 ms (▲×2.9, slower)`.
---@param hot proflens.HotItem
---@return string
function M.row(hot)
  local change = hot.change
  local words = change.text == change.words and change.text or change.text .. ', ' .. change.words
  return ('%s  %s %s → %s (%s)'):format(hot.name, change.which, change.before, change.after, words)
end

return M
