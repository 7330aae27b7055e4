-- The options in `vim.g.proflens`: a table, or a function that returns one, which is read when it is needed. Nothing has
-- to be set, and no setup() has to be called.
local M = {}

---@class proflens.Config
---Start the server with the first JavaScript or TypeScript file (default true).
---@field autostart boolean
---The server: a path, or a program with its arguments. Without it, the first of |proflens-program|.
---@field cmd? string|string[]
---The colour of the share of a measured function: on its line number (default), and as a sign.
---@field heat { number: boolean, signs: boolean }
---Turn inlay hints on in the buffers of Proflens (default true). Neovim itself has them off.
---@field hints boolean
---Show code lenses in the buffers of Proflens (default true).
---@field lens boolean
---Where `:Proflens hot` goes: the quickfix list (default) or `vim.ui.select()`.
---@field picker 'quickfix'|'select'
---The workspace folder, or a function of the buffer that gives it.
---@field root_dir? string|fun(bufnr: integer): string?
---Names of files in a workspace folder. The first that is found above the file counts; those of an inner list rank equally.
---@field root_markers (string|string[])[]
---The server's own settings, as in |proflens-settings|: `{ unit = 'percent', threshold = 1 }`.
---@field settings table<string, any>

---@type proflens.Config
M.defaults = {
  autostart = true,
  -- A sign column that opens moves the text.
  heat = { number = true, signs = false },
  hints = true,
  lens = true,
  picker = 'quickfix',
  -- The whole repository rather than the nearest package: traces often lie above the code that they measured.
  root_markers = { '.proflens', '.git', { 'package.json', 'deno.json', 'tsconfig.json', 'jsconfig.json' } },
  settings = {},
}

---@type table<string, string[]> The types that each option may have.
local types = {
  autostart = { 'boolean' },
  cmd = { 'string', 'table' },
  heat = { 'table' },
  hints = { 'boolean' },
  lens = { 'boolean' },
  picker = { 'string' },
  root_dir = { 'string', 'function' },
  root_markers = { 'table' },
  settings = { 'table' },
}

---@return table
local function user()
  local value = vim.g.proflens
  if type(value) == 'function' then
    value = value()
  end
  return type(value) == 'table' and value or {}
end

---The current options: those of the user, and defaults for the others. An option of a wrong type counts as not set.
---@return proflens.Config
function M.get()
  local config = {}
  local set = user()
  for name, allowed in pairs(types) do
    local value = set[name]
    if value == nil or not vim.list_contains(allowed, type(value)) then
      value = M.defaults[name]
    end
    config[name] = value
  end
  config.heat = vim.tbl_extend('force', M.defaults.heat, config.heat)
  return config
end

---What is wrong in `vim.g.proflens`, one sentence each; for `:checkhealth proflens`.
---@return string[]
function M.problems()
  local problems = {}
  local set = user()
  if vim.g.proflens ~= nil and not vim.list_contains({ 'table', 'function' }, type(vim.g.proflens)) then
    problems[1] = 'vim.g.proflens must be a table or a function that gives one.'
  end
  for name, value in vim.spairs(set) do
    local allowed = types[name]
    if not allowed then
      problems[#problems + 1] = ('vim.g.proflens.%s is not an option; is it a setting of the server, for vim.g.proflens.settings?'):format(
        tostring(name)
      )
    elseif not vim.list_contains(allowed, type(value)) then
      problems[#problems + 1] = ('vim.g.proflens.%s is a %s; it must be a %s.'):format(
        name,
        type(value),
        table.concat(allowed, ' or a ')
      )
    end
  end
  for name, value in vim.spairs(type(set.heat) == 'table' and set.heat or {}) do
    if M.defaults.heat[name] == nil or type(value) ~= 'boolean' then
      problems[#problems + 1] = ('vim.g.proflens.heat.%s is not an option: there are `number` and `signs`, true or false.'):format(
        tostring(name)
      )
    end
  end
  if set.picker and not vim.list_contains({ 'quickfix', 'select' }, set.picker) then
    problems[#problems + 1] = "vim.g.proflens.picker must be 'quickfix' or 'select'."
  end
  return problems
end

return M
