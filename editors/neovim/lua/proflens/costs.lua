-- What the functions and lines of each buffer cost, drawn beside the text as `heat.lua` and `lines.lua` say.
local client = require('proflens.client')
local config = require('proflens.config')
local follow = require('proflens.follow')
local protocol = require('proflens.protocol')

local M = {}

---Whether the costs of lines are shown.
M.lines_shown = false

---@return boolean
local function is_wanted()
  local heat = config.get().heat
  return M.lines_shown or heat.number or heat.signs
end

---@param bufnr integer
---@param costs? proflens.DocumentCosts Without any, nothing is drawn
local function draw(bufnr, costs)
  require('proflens.heat').draw(bufnr, costs)
  require('proflens.lines').draw(bufnr, M.lines_shown and costs or nil)
end

---@param bufnr integer
function M.clear(bufnr)
  draw(bufnr, nil)
end

---Redraw the costs of a buffer.
---@param running vim.lsp.Client
---@param bufnr integer
function M.update(running, bufnr)
  if not is_wanted() or not require('proflens').shows_costs() then
    M.clear(bufnr)
    return
  end
  follow.ask(running, bufnr, protocol.DOCUMENT_COSTS, {}, function(costs)
    if costs then
      draw(bufnr, costs)
    end
  end)
end

---Show the costs of lines in all buffers, or hide them.
function M.toggle_lines()
  local running = client.get_or_notify()
  if not running then
    return
  end
  M.lines_shown = not M.lines_shown
  require('proflens.display').update_all(running)
  local bufnr = vim.api.nvim_get_current_buf()
  if not M.lines_shown then
    return
  elseif not running.attached_buffers[bufnr] then
    client.notify('this buffer is none of Proflens; the lines of those that are have their costs now.')
    return
  end
  client.ask(running, protocol.STATUS, vim.empty_dict(), function(status, err)
    if err then
      client.notify(err.message, vim.log.levels.ERROR)
      return
    elseif not status.enabled then
      client.notify('costs are hidden; `:Proflens toggle` shows them again.')
      return
    end
    local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
    client.ask(running, protocol.DOCUMENT_COSTS, params, function(found, problem)
      local sentence = found and require('proflens.lines').sentence(found, status)
      client.notify(sentence or problem and problem.message or 'the server did not answer.')
    end, bufnr)
  end)
end

return M
