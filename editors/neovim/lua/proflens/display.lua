-- Keeps hints and lenses of our buffers on the screen and up to date, where Neovim does not do it by itself:
-- both are off by default; 0.10 and 0.11 draw lenses only when told to; 0.10 does not redraw hints that change
-- while the text does not (just what a newly loaded trace does), and no version asks anew for hidden buffers.
local config = require('proflens.config')

local M = {}

local has_native_lenses = vim.lsp.codelens.enable ~= nil -- Neovim 0.12

---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  require('proflens').update()
  local options = config.get()
  if options.hints then
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
  if not options.lens then
    return
  elseif has_native_lenses then
    -- Of this client only: other servers' lenses are not ours to turn on.
    vim.lsp.codelens.enable(true, { client_id = client.id })
  else
    M.follow(client, bufnr)
  end
end

---The handler of `workspace/inlayHint/refresh`.
---@param client_id integer
---@return userdata
function M.refresh_hints(client_id)
  require('proflens').update()
  local client = vim.lsp.get_client_by_id(client_id)
  for bufnr in pairs(client and client.attached_buffers or {}) do
    if vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }) then
      vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
    end
  end
  return vim.NIL
end

---The handler of `workspace/codeLens/refresh`.
---@type lsp.Handler
function M.refresh_lenses(err, result, context, ...)
  if has_native_lenses then
    return vim.lsp.handlers['workspace/codeLens/refresh'](err, result, context, ...)
  end
  local client = vim.lsp.get_client_by_id(context.client_id)
  if client and config.get().lens then
    for bufnr in pairs(client.attached_buffers) do
      M.request_lenses(client, bufnr)
    end
  end
  return vim.NIL
end

---@type table<integer, uv.uv_timer_t> Buffer -> what waits for a pause in the typing
local timers = {}

---Ask for lenses when a buffer is attached and a moment after each change (before Neovim 0.12).
---@param client vim.lsp.Client
---@param bufnr integer
function M.follow(client, bufnr)
  local group = vim.api.nvim_create_augroup('proflens.lens.' .. bufnr, {})
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'InsertLeave' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      local timer = timers[bufnr]
      if timer and not timer:is_closing() then
        timer:close()
      end
      timers[bufnr] = vim.defer_fn(function()
        M.request_lenses(client, bufnr)
      end, 200)
    end,
  })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    buffer = bufnr,
    callback = function(event)
      if event.data.client_id == client.id then
        pcall(vim.api.nvim_del_augroup_by_id, group) -- A new client may have taken the name over.
      end
    end,
  })
  M.request_lenses(client, bufnr)
end

---Ask for the lenses of a buffer, and show them once all of them have their text.
---@param client vim.lsp.Client
---@param bufnr integer
function M.request_lenses(client, bufnr)
  if not (vim.api.nvim_buf_is_loaded(bufnr) and client.attached_buffers[bufnr]) then
    return
  end
  local request = require('proflens.client').request
  local version = vim.api.nvim_buf_get_changedtick(bufnr)
  -- Lenses of a text that is no more would sit on wrong lines; the change has asked anew already.
  local function is_current()
    return vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_changedtick(bufnr) == version
  end

  ---@param lenses lsp.CodeLens[]
  local function show(lenses)
    if is_current() then
      vim.lsp.codelens.save(lenses, bufnr, client.id)
      vim.lsp.codelens.display(lenses, bufnr, client.id)
    end
  end

  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  request(client, 'textDocument/codeLens', params, function(err, lenses)
    if err or not is_current() then
      return
    end
    lenses = lenses or {}
    local waiting = 1
    local function countdown()
      waiting = waiting - 1
      if waiting == 0 then
        show(lenses)
      end
    end
    for _, lens in ipairs(lenses) do
      if not lens.command then
        waiting = waiting + 1
        request(client, 'codeLens/resolve', lens, function(_, resolved)
          lens.command = resolved and resolved.command
          countdown()
        end, bufnr)
      end
    end
    countdown()
  end, bufnr)
end

return M
