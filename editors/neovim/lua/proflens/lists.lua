-- Lists to jump from: the hottest functions, files and folders.
local client = require('proflens.client')
local config = require('proflens.config')
local protocol = require('proflens.protocol')
local text = require('proflens.text')

local M = {}

---@class proflens.ListItem
---@field uri string
---@field range? lsp.Range Where the function is; files and folders have none
---@field text string

---Quickfix entries, in the order of the items (`locations_to_items` sorts by file).
---@param items proflens.ListItem[]
---@param encoding string
---@return table[]
local function entries(items, encoding)
  local entries = {}
  for _, item in ipairs(items) do
    local entry = { filename = vim.uri_to_fname(item.uri), lnum = 1 }
    if item.range then
      entry = vim.lsp.util.locations_to_items({ { uri = item.uri, range = item.range } }, encoding)[1]
      entry.user_data = nil
    end
    entry.text = item.text
    entries[#entries + 1] = entry
  end
  return entries
end

---@param title string
---@param items proflens.ListItem[]
---@param encoding string
---@param words string[] What was asked for
local function to_quickfix(title, items, encoding, words)
  local list = { title = title, items = entries(items, encoding), context = { proflens = title, words = words } }
  local current = vim.fn.getqflist({ context = 1, id = 0 })
  if type(current.context) == 'table' and current.context.proflens == title then
    list.id = current.id -- replace the list of the same title instead of adding another
    vim.fn.setqflist({}, 'r', list)
  else
    list.nr = '$'
    vim.fn.setqflist({}, ' ', list)
  end
  vim.cmd('botright copen')
end

---@param title string
---@param items proflens.ListItem[]
---@param encoding string
local function to_select(title, items, encoding)
  vim.ui.select(items, {
    prompt = title,
    kind = 'proflens.function',
    format_item = function(item)
      return item.text
    end,
  }, function(item)
    if item and item.range then
      local location = { uri = item.uri, range = item.range }
      vim.lsp.util.show_document(location, encoding, { reuse_win = true, focus = true })
    elseif item then
      vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(item.uri)))
    end
  end)
end

---@param cost proflens.HotItem
---@return string
local function costs(cost)
  local calls = cost.calls and ' · ' .. cost.calls.text or ''
  return ('Self %s · Total %s%s'):format(text.in_full(cost.self), text.in_full(cost.total), calls)
end

---What the first words after `:Proflens hot` may be.
M.words = { 'difference', 'files', 'folders', 'functions', 'self', 'total' }

---@type table<string, proflens.HotBy>
local orders = { difference = 'difference', self = 'self', total = 'total' }

---@type table<string, proflens.HotGroup>
local groups = { files = 'file', folders = 'folder', functions = 'function' }

---What is asked for: `files total 20 src/`.
---@param words string[]
---@return proflens.HottestParams
local function params_of(words)
  local params = { group = 'function', limit = 100 }
  local filter = {}
  for _, word in ipairs(words) do
    if #filter > 0 then
      filter[#filter + 1] = word
    elseif groups[word] then
      params.group = groups[word]
    elseif orders[word] then
      params.by = orders[word]
    elseif tonumber(word) then
      params.limit = math.max(1, math.floor(tonumber(word)))
    else
      filter[1] = word
    end
  end
  local usual = params.group == 'function' and require('proflens').is_comparing() and 'difference' or 'self'
  params.by = params.by or usual
  params.filter = table.concat(filter, ' ')
  return params
end

---@param hot proflens.HotItem
---@return proflens.ListItem
local function hot_row(hot)
  if hot.change then
    return { uri = hot.uri, range = hot.selectionRange, text = require('proflens.compare').row(hot) }
  end
  local name = (hot.selectionRange or hot.path == '.') and hot.name or hot.path
  return { uri = hot.uri, range = hot.selectionRange, text = name .. '  ' .. costs(hot) }
end

---@param params proflens.HottestParams
---@param list proflens.HotList
---@return string
local function nothing(params, list)
  if not list.recording then
    return 'no trace is loaded; `:Proflens load {file}` takes any.'
  elseif params.filter ~= '' then
    return ('no measured %s has `%s` in its name or path.'):format(params.group, params.filter)
  end
  return ('no %s of this workspace has a cost; `:Proflens` says what is loaded.'):format(params.group)
end

---@param running vim.lsp.Client
---@param words string[] What follows `:Proflens hot`
---@param on_list fun(title: string, items: proflens.ListItem[], problem: string)
local function ask(running, words, on_list)
  local params = params_of(words)
  ---@param list proflens.HotList
  client.ask(running, protocol.HOTTEST, params, function(list, err)
    if err then
      client.notify(err.message, vim.log.levels.ERROR)
      return
    end
    local order = params.by ~= 'self' and ' by ' .. params.by or ''
    local which = #list.items > 0 and list.items[1].change and '' or 'hottest '
    local title = ('Proflens: %s%ss%s'):format(which, params.group, order)
    on_list(title, vim.tbl_map(hot_row, list.items), nothing(params, list))
  end)
end

---List what is hottest in the workspace.
---@param words string[] What follows `:Proflens hot`
function M.hot(words)
  local running = client.get_or_notify()
  if not running then
    return
  end
  ask(running, words, function(title, items, problem)
    if #items == 0 then
      client.notify(problem)
      return
    end
    local to = config.get().picker == 'select' and to_select or to_quickfix
    to(title, items, running.offset_encoding, words)
  end)
end

---Ask again what the quickfix list shows, if that is a list of ours: another unit or another trace may be shown.
---@param running vim.lsp.Client
function M.refresh(running)
  local current = vim.fn.getqflist({ context = 1, id = 0 })
  local words = type(current.context) == 'table' and current.context.words
  if not words then
    return
  end
  ask(running, words, function(title, items)
    local now = vim.fn.getqflist({ idx = 0, id = current.id, winid = 0 })
    if now.id ~= current.id then
      return -- it is gone
    end
    local list = { id = current.id, title = title, context = { proflens = title, words = words } }
    list.items, list.idx = entries(items, running.offset_encoding), now.idx
    local view = now.winid > 0 and vim.api.nvim_win_call(now.winid, vim.fn.winsaveview)
    vim.fn.setqflist({}, 'r', list)
    if view then
      vim.api.nvim_win_call(now.winid, function()
        vim.fn.winrestview(view)
      end)
    end
  end)
end

return M
