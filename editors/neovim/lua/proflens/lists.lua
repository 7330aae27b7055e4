-- Lists of functions to jump to: the hottest ones, and who called one.
local client = require('proflens.client')
local config = require('proflens.config')
local text = require('proflens.text')

local M = {}

---@class proflens.ListItem
---@field location? lsp.Location Where the function is; without it, there is no jump
---@field text string

---Quickfix entries, in the order of the items (`locations_to_items` sorts by file).
---@param items proflens.ListItem[]
---@param encoding string
---@return table[]
local function entries(items, encoding)
  local entries = {}
  for _, item in ipairs(items) do
    local entry = { text = item.text, valid = 0 }
    if item.location then
      entry = vim.lsp.util.locations_to_items({ item.location }, encoding)[1]
      entry.text = item.text
      entry.user_data = nil
    end
    entries[#entries + 1] = entry
  end
  return entries
end

---@param title string
---@param items proflens.ListItem[]
---@param encoding string
local function to_quickfix(title, items, encoding)
  local list = { title = title, items = entries(items, encoding), context = { proflens = title } }
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
    if item and item.location then
      vim.lsp.util.show_document(item.location, encoding, { reuse_win = true, focus = true })
    end
  end)
end

---@param title string
---@param items proflens.ListItem[]
---@param running vim.lsp.Client
local function show(title, items, running)
  local to = config.get().picker == 'select' and to_select or to_quickfix
  to(title, items, running.offset_encoding)
end

---@param cost proflens.HotFunction
---@return string
local function costs(cost)
  return ('Self %s (%s) · Total %s (%s)'):format(
    text.amount(cost.self),
    text.percent(cost.selfShare),
    text.amount(cost.total),
    text.percent(cost.totalShare)
  )
end

---List the hottest functions of the workspace.
---@param limit? integer
function M.hot(limit)
  ---@param result? proflens.HotFunction[]
  client.execute('showHottest', { limit }, function(result, running)
    if not result or #result == 0 then
      client.notify('no function of this workspace has a cost; `:Proflens` says what is loaded.')
      return
    end
    local items = vim.tbl_map(function(hot)
      return { location = { uri = hot.uri, range = hot.selectionRange }, text = hot.name .. '  ' .. costs(hot) }
    end, result)
    show('Proflens: hottest functions', items, running)
  end)
end

---List who called a function: the one that the arguments of a lens name, or the one under the cursor.
---@param arguments? any[]
function M.callers(arguments)
  local running = client.get_or_notify()
  if not running then
    return
  end
  if not arguments then
    local position = vim.lsp.util.make_position_params(0, running.offset_encoding)
    arguments = { position }
  end
  ---@param result? proflens.Callers
  client.execute('showCallers', arguments, function(result)
    if not result then
      client.notify('no cost was measured for a function here.')
    elseif #result.callers == 0 then
      client.notify(('nobody called %s while it was measured.'):format(result.name))
    else
      local items = vim.tbl_map(function(caller)
        local has_place = type(caller.uri) == 'string'
        return {
          location = has_place and { uri = caller.uri, range = caller.selectionRange } or nil,
          text = ('%s  %s (%s)'):format(caller.name, text.amount(caller.total), text.percent(caller.share)),
        }
      end, result.callers)
      show('Proflens: callers of ' .. result.name, items, running)
    end
  end)
end

return M
