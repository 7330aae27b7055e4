-- The functions that a user's configuration may call. Everything else is in `:Proflens`.
local M = {}

local summary = ''
local is_enabled = true
local is_comparing = false

---What is shown, for a statusline: `app.cpuprofile · 214 samples · 94 % placed`, or '' when there is no trace.
---
---    vim.o.statusline = "%f %{%v:lua.require'proflens'.status()%}"
---@return string
function M.status()
  return (summary:gsub('%%', '%%%%'))
end

---Whether costs are shown: `:Proflens toggle` hides them.
---@return boolean
function M.shows_costs()
  return is_enabled
end

---Whether what is shown is compared with something: `:Proflens compare`.
---@return boolean
function M.is_comparing()
  return is_comparing
end

---Request the server's status. Called whenever it changes.
---@param on_done? fun()
function M.update(on_done)
  local client = require('proflens.client')
  local running = client.get()
  if not running then
    return
  end
  client.request(running, require('proflens.protocol').STATUS, vim.empty_dict(), function(err, status)
    if err then
      return
    end
    require('proflens.previous').saw(status)
    local ledger = require('proflens.ledger')
    summary = ledger.shown(status) and ledger.summary(status) or ''
    is_enabled = status.enabled
    is_comparing = type(status.comparison) == 'table'
    vim.cmd.redrawstatus({ bang = true })
    if on_done then
      on_done()
    end
  end)
end

return M
