-- Shows what to add to the settings so that more of a trace is placed. In Neovim settings are Lua code, which only the user
-- should change: the lines to add are shown, and can be yanked.
local client = require('proflens.client')

local M = {}

---@param uri string
---@return string path Below the workspace folder where it is inside
local function relative(uri)
  local path = vim.uri_to_fname(uri)
  local running = client.get()
  local root = running and running.config.root_dir
  local folder = type(root) == 'string' and vim.fs.normalize(root) .. '/' or nil
  return folder and vim.startswith(path, folder) and path:sub(#folder + 1) or path
end

---The beginning of the first URL or path whose file is not in the workspace.
---@param status proflens.Status
---@return string?
function M.unplaced_prefix(status)
  local ledger = type(status.ledger) == 'table' and status.ledger or { rows = {} }
  for _, part in ipairs(ledger.rows) do
    local example = part.why == 'not-in-workspace' and part.examples[1]
    if example then
      return example:match('^%a[%w+.-]*://[^/]+/') or example:match('^(.*[/\\])') or example
    end
  end
end

---The lines that say where a folder of the trace lies.
---@param status proflens.Status
---@param folder? string
---@return string[]? lines
function M.path_lines(status, folder)
  local from = M.unplaced_prefix(status)
  if not from then
    return nil
  end
  local to = folder and vim.fs.normalize(folder):gsub('/*$', '/') or 'FOLDER/'
  local is_absolute = vim.startswith(to, '/') or to:match('^%a:')
  to = is_absolute and to or '${workspaceFolder}/' .. to
  return {
    'settings = {',
    '  pathMappings = {',
    ('    { from = %q, to = %q },'):format(from, to),
    '  },',
    '},',
  }
end

---The lines that give a generated file its source map.
---@param status proflens.Status
---@param map? string
---@return string[]? lines
function M.map_lines(status, map)
  if #status.lostMaps == 0 then
    return nil
  end
  local lines = { 'settings = {', '  sourceMaps = {', '    maps = {' }
  for index, lost in ipairs(status.lostMaps) do
    if index == 1 or not map then
      lines[#lines + 1] = ('      [%q] = %q,'):format(relative(lost.generated), map or 'path/to/its.map')
    end
  end
  return vim.list_extend(lines, { '    },', '  },', '},' })
end

---Show lines to add to `vim.g.proflens` in a float.
---@param lines? string[]
---@param none string What to say where there is nothing to add
function M.show(lines, none)
  if not lines then
    client.notify(none)
    return
  end
  vim.lsp.util.open_floating_preview(lines, 'lua', {
    border = 'rounded',
    focus_id = 'proflens.repair',
    title = ' Add to vim.g.proflens, then :Proflens restart ',
    wrap = false,
  })
end

return M
