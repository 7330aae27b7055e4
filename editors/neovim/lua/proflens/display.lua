-- Draws beside the text of our buffers, and keeps that true: hints, lenses, the heat of functions and the costs of lines.
--
-- Neovim could draw hints and lenses itself, but draws those of all servers of a buffer by one version of the text: with a
-- second server ours would stand at other functions after an edit. So all of it is in marks of our own, which move with the
-- text until the server has answered, and Neovim's own are left to other servers.
local follow = require('proflens.follow')

local M = {}

---What draws, each with `update(running, bufnr)` and `clear(bufnr)`.
local PARTS = { 'proflens.hints', 'proflens.lenses', 'proflens.costs' }

---@param bufnr integer
local function clear(bufnr)
  for _, part in ipairs(PARTS) do
    require(part).clear(bufnr)
  end
end

---Redraw everything in a buffer.
---@param running vim.lsp.Client
---@param bufnr integer
local function update(running, bufnr)
  if vim.api.nvim_buf_is_loaded(bufnr) and running.attached_buffers[bufnr] then
    for _, part in ipairs(PARTS) do
      require(part).update(running, bufnr)
    end
  end
end

---Keep Neovim from drawing what is drawn here.
---@param running vim.lsp.Client
function M.take_over(running)
  running.server_capabilities.inlayHintProvider = nil
  running.server_capabilities.codeLensProvider = nil
end

---Draw in a buffer from now on.
---@param running vim.lsp.Client
---@param bufnr integer
function M.attach(running, bufnr)
  require('proflens').update()
  require('proflens.highlights').define()
  local function update_soon()
    vim.schedule(function()
      update(running, bufnr)
    end)
  end
  follow.attach(bufnr, function()
    update(running, bufnr)
  end, function()
    clear(bufnr)
    update_soon() -- once the server has the new text
  end)

  local group = vim.api.nvim_create_augroup('proflens.display.' .. bufnr, {})
  vim.api.nvim_create_autocmd({ 'BufWinEnter', 'WinScrolled' }, {
    group = group,
    desc = 'Proflens: lenses that came near the screen',
    callback = vim.schedule_wrap(function()
      if vim.fn.bufwinid(bufnr) ~= -1 then
        require('proflens.lenses').scrolled(running, bufnr)
      end
    end),
  })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    buffer = bufnr,
    desc = 'Proflens: take costs away',
    callback = function(event)
      if event.data.client_id == running.id then
        follow.release(bufnr)
        clear(bufnr)
        pcall(vim.api.nvim_del_augroup_by_id, group) -- a new client may already use the name
      end
    end,
  })
  update_soon() -- 0.10 and 0.11 count the buffer as attached only after this returns
end

---Redraw everything in all buffers of a client.
---@param running vim.lsp.Client
function M.update_all(running)
  for bufnr in pairs(running.attached_buffers) do
    update(running, bufnr)
  end
end

---The handler of `workspace/inlayHint/refresh`, which comes whenever something else is to be shown.
---@param client_id integer
---@return userdata
function M.refresh(client_id)
  local running = vim.lsp.get_client_by_id(client_id)
  require('proflens').update(function()
    if running then
      M.update_all(running)
      require('proflens.lists').refresh(running)
    end
  end)
  require('proflens.tree').refresh()
  return vim.NIL
end

return M
