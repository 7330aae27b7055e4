-- Shows the hints and lenses of our buffers and keeps them up to date, where Neovim does not do it by itself: both are off
-- by default; 0.10 and 0.11 draw lenses only on request; 0.10 does not redraw hints that change while the text stays the
-- same (as with a newly loaded trace), and no version requests them again for hidden buffers. What stands beside the text
-- otherwise is drawn by `costs.lua`.
local config = require('proflens.config')

local M = {}

local is_old = vim.fn.has('nvim-0.12') == 0

---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  require('proflens').update()
  require('proflens.costs').follow(client, bufnr)
  local options = config.get()
  if options.hints then
    vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
  end
  if not options.lens then
    return
  elseif is_old then
    M.follow(client, bufnr)
  else
    -- Only for this client: the lenses of other servers are not turned on.
    vim.lsp.codelens.enable(true, { client_id = client.id })
  end
end

---The handler of `workspace/inlayHint/refresh`.
---@param client_id integer
---@return userdata
function M.refresh_hints(client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  require('proflens').update(function()
    if client then
      require('proflens.costs').update_all(client)
    end
  end)
  require('proflens.tree').refresh()
  for bufnr in pairs(client and client.attached_buffers or {}) do
    if vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }) then
      if is_old then
        vim.lsp.inlay_hint.enable(false, { bufnr = bufnr }) -- older versions keep hints that do not exist any more
      end
      vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
    end
  end
  return vim.NIL
end

---The handler of `workspace/codeLens/refresh`.
---@type lsp.Handler
function M.refresh_lenses(err, result, context, ...)
  if not is_old then
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

---@type table<integer, uv.uv_timer_t> Buffer -> timer that waits for a pause in typing or scrolling
local timers = {}

---@param client vim.lsp.Client
---@param bufnr integer
local function request_soon(client, bufnr)
  local timer = timers[bufnr]
  if timer and not timer:is_closing() then
    timer:close()
  end
  timers[bufnr] = vim.defer_fn(function()
    M.request_lenses(client, bufnr)
  end, 200)
end

---Request lenses when a buffer is attached, and shortly after each change or scroll (before Neovim 0.12).
---@param client vim.lsp.Client
---@param bufnr integer
function M.follow(client, bufnr)
  local group = vim.api.nvim_create_augroup('proflens.lens.' .. bufnr, {})
  vim.api.nvim_create_autocmd({ 'TextChanged', 'TextChangedI', 'InsertLeave', 'BufWinEnter' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      request_soon(client, bufnr)
    end,
  })
  vim.api.nvim_create_autocmd('WinScrolled', {
    group = group,
    callback = function()
      if vim.fn.bufwinid(bufnr) ~= -1 then
        request_soon(client, bufnr)
      end
    end,
  })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    buffer = bufnr,
    callback = function(event)
      if event.data.client_id == client.id then
        pcall(vim.api.nvim_del_augroup_by_id, group) -- a new client may already use the name
      end
    end,
  })
  M.request_lenses(client, bufnr)
end

---A function that says whether a row is visible or at most one screen away.
---@param bufnr integer
---@return fun(row: integer): boolean
local function near_screen(bufnr)
  local ranges = {} ---@type [integer, integer][]
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local height = vim.api.nvim_win_get_height(window)
    ranges[#ranges + 1] = { vim.fn.line('w0', window) - height, vim.fn.line('w$', window) + height }
  end
  return function(row)
    return vim.iter(ranges):any(function(range)
      return range[1] <= row and row <= range[2]
    end)
  end
end

---Request the lenses of a buffer, and show them once those near the screen are resolved.
---@param client vim.lsp.Client
---@param bufnr integer
function M.request_lenses(client, bufnr)
  if not (vim.api.nvim_buf_is_loaded(bufnr) and client.attached_buffers[bufnr]) then
    return
  end
  local request = require('proflens.client').request
  local version = vim.api.nvim_buf_get_changedtick(bufnr)
  -- Lenses of an older text would stand on wrong lines; the change has already caused another request.
  local function is_current()
    return vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_changedtick(bufnr) == version
  end

  local params = { textDocument = vim.lsp.util.make_text_document_params(bufnr) }
  request(client, 'textDocument/codeLens', params, function(err, lenses)
    if err or not is_current() then
      return
    end
    local is_near = near_screen(bufnr)
    local resolved = {} ---@type lsp.CodeLens[]
    local waiting = 1
    local function countdown()
      waiting = waiting - 1
      if waiting == 0 and is_current() then
        vim.lsp.codelens.save(resolved, bufnr, client.id)
        vim.lsp.codelens.display(resolved, bufnr, client.id)
      end
    end
    for _, lens in ipairs(lenses or {}) do
      if lens.command then
        resolved[#resolved + 1] = lens
      elseif is_near(lens.range.start.line + 1) then
        waiting = waiting + 1
        request(client, 'codeLens/resolve', lens, function(_, answer)
          if answer and answer.command then
            resolved[#resolved + 1] = answer
          end
          countdown()
        end, bufnr)
      end
    end
    countdown()
  end, bufnr)
end

return M
