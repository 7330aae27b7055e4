-- What part of the recording is looked at: a function and what is below it, a window of time, or all of it again.
local client = require('proflens.client')
local ledger = require('proflens.ledger')
local protocol = require('proflens.protocol')

local M = {}

---The ways to change the stacks, with what they do, in the order in which they are offered.
M.hows = {
  { 'below', 'only what it and those that it called cost' },
  { 'callers', 'only who called it' },
  { 'drop', 'without the samples in which it ran' },
  { 'merge', 'its time is that of its callers' },
  { 'collapse', 'a package is one function' },
}

---@return string[]
function M.words()
  return vim.tbl_map(function(how)
    return how[1]
  end, M.hows)
end

---Send a change of the scope, and say what is looked at from then on.
---@param name string
---@param argument table
local function change(name, argument)
  client.execute(name, { argument }, function(trace)
    if type(trace) == 'table' then
      local part = type(trace.scope) == 'string' and trace.scope
      client.notify(
        part and ('only this part of the recording is shown: %s.'):format(part) or 'the whole recording is shown.'
      )
    end
  end)
end

---`:Proflens focus [how] [name]`: of the function under the cursor, or of one that is named.
---@param words string[]
function M.focus(words)
  local running = client.get_or_notify()
  if not running then
    return
  end
  local how, name = words[1], words[2]
  if not how then
    local options = {
      prompt = 'Look at the function under the cursor: ',
      format_item = function(choice)
        return ('%s: %s'):format(choice[1], choice[2])
      end,
    }
    vim.ui.select(M.hows, options, function(choice)
      if choice then
        M.focus({ choice[1] })
      end
    end)
  elseif not vim.list_contains(M.words(), how) then
    client.notify(
      ('focus is %s, not %s.'):format(table.concat(M.words(), ', '), how),
      vim.log.levels.ERROR
    )
  elseif how == 'collapse' then
    if name then
      change('focus', { how = how, package = name })
      return
    end
    vim.ui.input({ prompt = 'Package: ' }, function(package)
      if package and package ~= '' then
        change('focus', { how = how, package = package })
      end
    end)
  else
    local place = vim.lsp.util.make_position_params(0, running.offset_encoding)
    change('focus', { how = how, ['function'] = name or place })
  end
end

---Look only at what flows through a node of a call tree.
---@param node proflens.CallTreeParams
function M.focus_on_path(node)
  change('focus', { how = 'path', node = node })
end

---A marker by its name, or a label as `key=value`.
---@param name string
---@return proflens.WindowParams
local function named(name)
  return name:find('=', 2, true) and { labels = { name } } or { markers = { name } }
end

---`:Proflens window [from] [to]`, or the name of a marker, or a label `key=value`; without any, offer the markers and labels.
---@param words string[]
function M.window(words)
  local running = client.get_or_notify()
  if not running then
    return
  end
  local moments = vim.iter(words):all(function(word)
    return word == 'end' or word:match('^[%d.]+%a*$') ~= nil
  end)
  if moments and (#words == 1 or #words == 2) then
    change('window', { from = words[1], to = words[2] })
  elseif #words > 0 then
    change('window', named(table.concat(words, ' ')))
  else
    client.request(running, protocol.STATUS, vim.empty_dict(), function(err, status)
      local shown = not err and ledger.shown(status)
      if not shown then
        client.notify(err and err.message or 'no trace is loaded.', err and vim.log.levels.ERROR or nil)
      elseif #shown.markers + #shown.labels == 0 then
        client.notify(('%s has no markers; `:Proflens window {from} {to}` takes two moments.'):format(shown.name))
      else
        local choices = {} ---@type { text: string, window: proflens.WindowParams }[]
        for _, marker in ipairs(shown.markers) do
          choices[#choices + 1] =
            { text = ('%s (%s)'):format(marker.name, marker.detail), window = { markers = { marker.name } } }
        end
        for _, label in ipairs(shown.labels) do
          choices[#choices + 1] = { text = label, window = { labels = { label } } }
        end
        local function text_of(choice)
          return choice.text
        end
        vim.ui.select(choices, { prompt = 'Only this: ', format_item = text_of }, function(choice)
          if choice then
            change('window', choice.window)
          end
        end)
      end
    end)
  end
end

---`:Proflens all`
function M.clear()
  client.execute('clearScope', {})
end

---The markers and labels of the shown trace, for completion; none if the server does not answer quickly.
---@return string[]
function M.markers()
  local running = client.get()
  local status = running and client.request_sync(running, protocol.STATUS, vim.empty_dict(), 0, 200)
  local shown = status and ledger.shown(status)
  if not shown then
    return {}
  end
  local names = vim.tbl_map(function(marker)
    return marker.name
  end, shown.markers)
  return vim.list_extend(names, shown.labels)
end

return M
