-- What the functions and lines of each buffer cost: asked from the server when it is opened, edited, or something else
-- is loaded, and drawn beside the text as `heat.lua` and `lines.lua` say. In between marks move with the text.
local client = require('proflens.client')
local config = require('proflens.config')
local protocol = require('proflens.protocol')

local M = {}

---Whether the costs of lines are shown.
M.lines_shown = false

---@type table<integer, uv.uv_timer_t> Buffer -> timer that waits for a pause in typing
local timers = {}

---@return boolean
local function is_wanted()
  local heat = config.get().heat
  return M.lines_shown or heat.number or heat.signs
end

---@param bufnr integer
---@param costs? proflens.DocumentCosts Without any, nothing is drawn
local function draw(bufnr, costs)
  require('proflens.highlights').define()
  require('proflens.heat').draw(bufnr, costs)
  require('proflens.lines').draw(bufnr, M.lines_shown and costs or nil)
end

---Ask for the costs of a buffer. An outdated answer does not count: the change has already caused another request.
---@param running vim.lsp.Client
---@param bufnr integer
---@param on_costs fun(costs?: proflens.DocumentCosts, problem?: string)
function M.request(running, bufnr, on_costs)
  local version = vim.api.nvim_buf_get_changedtick(bufnr)
  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  client.ask(running, protocol.DOCUMENT_COSTS, params, function(costs, err)
    if not vim.api.nvim_buf_is_loaded(bufnr) or vim.api.nvim_buf_get_changedtick(bufnr) ~= version then
      return
    end
    on_costs(costs, err and err.message)
  end, bufnr)
end

---Draw the costs of a buffer anew.
---@param running vim.lsp.Client
---@param bufnr integer
---@param on_done? fun(costs?: proflens.DocumentCosts, problem?: string)
function M.update(running, bufnr, on_done)
  if not (vim.api.nvim_buf_is_loaded(bufnr) and running.attached_buffers[bufnr]) then
    return
  elseif not is_wanted() or not require('proflens').shows_costs() then
    draw(bufnr, nil)
    return
  end
  M.request(running, bufnr, function(costs, problem)
    if costs then
      draw(bufnr, costs)
    end
    if on_done then
      on_done(costs, problem)
    end
  end)
end

---Draw the costs of all buffers of a client anew.
---@param running vim.lsp.Client
function M.update_all(running)
  for bufnr in pairs(running.attached_buffers) do
    M.update(running, bufnr)
  end
end

---Draw the costs of a buffer, and again shortly after each change.
---@param running vim.lsp.Client
---@param bufnr integer
function M.follow(running, bufnr)
  local group = vim.api.nvim_create_augroup('proflens.costs.' .. bufnr, {})
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'InsertLeave' }, {
    group = group,
    buffer = bufnr,
    desc = 'Proflens: costs follow edits',
    callback = function()
      if not is_wanted() then
        return
      end
      local timer = timers[bufnr]
      if timer and not timer:is_closing() then
        timer:close()
      end
      timers[bufnr] = vim.defer_fn(function()
        M.update(running, bufnr)
      end, 200)
    end,
  })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    buffer = bufnr,
    desc = 'Proflens: take costs away',
    callback = function(event)
      if event.data.client_id == running.id then
        draw(bufnr, nil)
        pcall(vim.api.nvim_del_augroup_by_id, group) -- a new client may already use the name
      end
    end,
  })
  -- 0.10 and 0.11 count the buffer as attached only after this returns.
  vim.schedule(function()
    M.update(running, bufnr)
  end)
end

---Show the costs of lines in all buffers, or hide them.
function M.toggle_lines()
  local running = client.get_or_notify()
  if not running then
    return
  end
  M.lines_shown = not M.lines_shown
  M.update_all(running)
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
    M.request(running, bufnr, function(found, problem)
      local sentence = found and require('proflens.lines').sentence(found, status)
      client.notify(sentence or problem or 'the server did not answer.')
    end)
  end)
end

return M
