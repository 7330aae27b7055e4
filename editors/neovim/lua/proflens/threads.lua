-- `:Proflens threads`: which threads of the shown trace are added up.
local client = require('proflens.client')
local ledger = require('proflens.ledger')
local protocol = require('proflens.protocol')

local M = {}

---The words for what is not a single thread.
local WORDS = { 'all', 'page' }

---@param trace proflens.TraceStatus
---@param names? string[]|'all' Without any, the page
local function show(trace, names)
  client.execute('selectTrace', { trace.uri, names })
end

---@param status proflens.Status
---@return proflens.TraceStatus? trace The shown one, if it has threads to choose from
---@return string? problem
local function trace_with_threads(status)
  local trace = ledger.shown(status)
  if not trace then
    return nil, 'no trace is loaded; `:Proflens load {file}` takes any.'
  elseif #trace.threads == 0 then
    return nil, ('%s has one thread, which is shown.'):format(trace.name)
  end
  return trace
end

---@class proflens.ThreadChoice
---@field label string
---@field thread? proflens.ThreadStatus To be checked, or not any more
---@field names? fun(): string[]|'all'|nil What is to be shown

---Ask which threads, one after the other, until a choice is made.
---@param trace proflens.TraceStatus
---@param checked table<string, boolean>
local function ask(trace, checked)
  local names = {} ---@type string[]
  for _, thread in ipairs(trace.threads) do
    names[#names + 1] = checked[thread.name] and thread.name or nil
  end
  local choices = {} ---@type proflens.ThreadChoice[]
  if #names > 0 then
    choices[1] = {
      label = ('Show %s'):format(#names == 1 and names[1] or ('the %d checked threads'):format(#names)),
      names = function()
        return names
      end,
    }
  end
  for _, thread in ipairs(trace.threads) do
    local cost = ('%s active, %s'):format(thread.active.text, thread.samples.text)
    local label = ('[%s] %s · %s'):format(checked[thread.name] and 'x' or ' ', thread.name, cost)
    choices[#choices + 1] = { label = label, thread = thread }
  end
  choices[#choices + 1] = {
    label = 'Show the page: the main thread and the workers of its process',
    names = function() end,
  }
  choices[#choices + 1] = {
    label = 'Show all threads',
    names = function()
      return 'all'
    end,
  }
  vim.ui.select(choices, {
    prompt = 'Check threads, or show: ',
    kind = 'proflens.thread',
    format_item = function(choice)
      return choice.label
    end,
  }, function(choice)
    if not choice then
      return
    elseif choice.names then
      show(trace, choice.names())
      return
    end
    checked[choice.thread.name] = not checked[choice.thread.name]
    -- A picker closes its window only after this returns.
    vim.schedule(function()
      ask(trace, checked)
    end)
  end)
end

---Show the threads that are named, or ask which.
---@param words string[] Names of threads, or `all`, or `page`
function M.run(words)
  local running = client.get_or_notify()
  if not running then
    return
  end
  client.ask(running, protocol.STATUS, vim.empty_dict(), function(status, err)
    local trace, problem = nil, err and err.message
    if not problem then
      trace, problem = trace_with_threads(status)
    end
    if not trace then
      client.notify(problem or 'the server did not answer.')
    elseif #words == 0 then
      local checked = {}
      for _, thread in ipairs(trace.threads) do
        checked[thread.name] = thread.shown
      end
      ask(trace, checked)
    elseif #words == 1 and words[1] == 'page' then
      show(trace, nil)
    else
      show(trace, #words == 1 and words[1] == 'all' and 'all' or words)
    end
  end)
end

---@param lead string
---@return string[]
function M.complete(lead)
  local running = client.get()
  local status = running and client.request_sync(running, protocol.STATUS, vim.empty_dict(), 0, 200)
  local trace = status and trace_with_threads(status)
  local names = vim.list_slice(WORDS)
  for _, thread in ipairs(trace and trace.threads or {}) do
    names[#names + 1] = (thread.name:gsub('[ \\]', '\\%0'))
  end
  return vim.tbl_filter(function(name)
    return trace ~= nil and vim.startswith(name, lead)
  end, names)
end

return M
