-- Questions of the server, shown as messages.
local client = require('proflens.client')

local M = {}

---@type table<string, string> Button of a message -> sub-command that does the same
local buttons = {
  ['Map a path…'] = 'map-path',
  ['Choose map…'] = 'choose-map',
  ['Show log'] = 'log',
}

---Show a question of the server as a notification, with the commands that do what its buttons would do: a prompt of
---Neovim would block the editor until it is answered.
---@param params lsp.ShowMessageRequestParams
---@return userdata
function M.show_request(params)
  local commands = {}
  for _, action in ipairs(params.actions or {}) do
    local name = buttons[action.title]
    commands[#commands + 1] = name and ('`:Proflens %s`'):format(name)
  end
  local hint = #commands > 0 and (' See %s.'):format(table.concat(commands, ', ')) or ''
  client.notify(params.message .. hint, vim.log.levels.WARN)
  return vim.NIL
end

return M
