-- The highlight groups of the plugin. All of them are defaults: a colorscheme or the user may define them.
local M = {}

---From cool to hot, on a dark and on a light background; and in terminals of 256 colours.
local HEAT = {
  dark = { { '#5f87af', 67 }, { '#87af87', 108 }, { '#d7af5f', 179 }, { '#ff8700', 208 }, { '#ff5f5f', 203 } },
  light = { { '#5f87af', 67 }, { '#4f8a4f', 65 }, { '#a07000', 136 }, { '#c05000', 130 }, { '#c00000', 124 } },
}

---What got slower and faster, which everybody can tell from each other, and what is new.
local CHANGES = {
  dark = {
    ProflensSlower = { '#ffaf5f', 215 },
    ProflensFaster = { '#5fafff', 75 },
    ProflensNew = { '#d0d0d0', 252 },
  },
  light = {
    ProflensSlower = { '#af5f00', 130 },
    ProflensFaster = { '#005faf', 25 },
    ProflensNew = { '#303030', 236 },
  },
}

---From which share on a cost has the next colour.
local STEPS = { 0.01, 0.05, 0.1, 0.2 }

local LINKS = {
  ProflensAmount = 'Number',
  ProflensShare = 'Number',
  ProflensName = 'Function',
  ProflensTitle = 'Title',
  ProflensNote = 'Comment',
}

---The group of a share.
---@param share number 0..1
---@return string
function M.of(share)
  local level = 1
  for _, step in ipairs(STEPS) do
    level = share >= step and level + 1 or level
  end
  return 'ProflensHeat' .. level
end

---Whether a group is as it was defined here, or not defined: users and colorschemes may have made something else of it.
---@param name string
---@param key integer|string
---@param all table<string, table<integer|string, [string, integer]>>
---@return boolean
local function is_ours(name, key, all)
  local current = vim.api.nvim_get_hl(0, { name = name })
  local is_known = vim.iter(all):any(function(_, colours)
    return current.fg == tonumber(colours[key][1]:sub(2), 16) and current.ctermfg == colours[key][2]
  end)
  return is_known or next(current) == nil
end

---Define all groups that neither the user nor the colorscheme did.
local function define()
  -- Not `default = true`: those are kept as they are when the background changes.
  local function set(name, key, all)
    if is_ours(name, key, all) then
      local colour = all[vim.o.background][key]
      vim.api.nvim_set_hl(0, name, { fg = colour[1], ctermfg = colour[2] })
    end
  end
  for level in ipairs(HEAT.dark) do
    set('ProflensHeat' .. level, level, HEAT)
  end
  for name in pairs(CHANGES.dark) do
    set(name, name, CHANGES)
  end
  for name, link in pairs(LINKS) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

local is_defined = false

---Define the groups, now and whenever the colours change.
function M.define()
  if is_defined then
    return
  end
  is_defined = true
  define()
  local group = vim.api.nvim_create_augroup('proflens.highlights', {})
  vim.api.nvim_create_autocmd('ColorScheme', { group = group, callback = define, desc = 'Proflens: colours' })
  vim.api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = 'background',
    callback = define,
    desc = 'Proflens: colours',
  })
end

return M
