-- What each function cost, in words above its line. A lens is complete only when it comes near the screen.
local client = require('proflens.client')
local config = require('proflens.config')
local follow = require('proflens.follow')

local M = {}

local namespace = vim.api.nvim_create_namespace('proflens.lenses')

---@class proflens.Lenses
---@field all lsp.CodeLens[]
---@field is_current fun(): boolean Whether they are those of the text as it is

---@type table<integer, proflens.Lenses> By buffer
local known = {}

---@param bufnr integer
function M.clear(bufnr)
  known[bufnr] = nil
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
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
      return range[1] <= row + 1 and row + 1 <= range[2]
    end)
  end
end

---Scroll to what is above the first line, which Neovim else leaves out of sight.
---@param bufnr integer
---@param rows integer
local function show_above_first_line(bufnr, rows)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.api.nvim_win_call(window, function()
      if vim.fn.line('w0') == 1 then
        vim.fn.winrestview({ topfill = rows })
      end
    end)
  end
end

---@param bufnr integer
---@param lenses lsp.CodeLens[]
local function draw(bufnr, lenses)
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  local titles = {} ---@type table<integer, string[]> By row
  for _, lens in ipairs(lenses) do
    if lens.command then
      local row = lens.range.start.line
      titles[row] = titles[row] or {}
      table.insert(titles[row], lens.command.title)
    end
  end
  for row, texts in pairs(titles) do
    local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
    local indent = (' '):rep(vim.fn.strdisplaywidth(line:match('^%s*')))
    vim.api.nvim_buf_set_extmark(bufnr, namespace, row, 0, {
      virt_lines = { { { indent }, { table.concat(texts, ' | '), 'LspCodeLens' } } },
      virt_lines_above = true,
      invalidate = true, -- goes with its line
      undo_restore = false, -- the place of one before, which had the same number
    })
  end
  if titles[0] then
    show_above_first_line(bufnr, 1)
  end
end

---Draw the lenses near the screen, once all of them are complete.
---@param running vim.lsp.Client
---@param bufnr integer
---@param always? boolean Also if none is new
local function complete(running, bufnr, always)
  local lenses = known[bufnr]
  local is_near = near_screen(bufnr)
  local waiting = 1
  local function count_down()
    waiting = waiting - 1
    if waiting == 0 and known[bufnr] == lenses and lenses.is_current() then
      draw(bufnr, lenses.all)
    end
  end
  for index, lens in ipairs(lenses.all) do
    if not lens.command and is_near(lens.range.start.line) then
      waiting = waiting + 1
      client.request(running, 'codeLens/resolve', lens, function(_, resolved)
        lenses.all[index] = resolved or lens
        count_down()
      end, bufnr)
    end
  end
  if always or waiting > 1 then
    count_down()
  end
end

---What came near the screen is asked for.
---@param running vim.lsp.Client
---@param bufnr integer
function M.scrolled(running, bufnr)
  if known[bufnr] and known[bufnr].is_current() then
    complete(running, bufnr)
  end
end

---Redraw the lenses of a buffer.
---@param running vim.lsp.Client
---@param bufnr integer
function M.update(running, bufnr)
  if not config.get().lens then
    M.clear(bufnr)
    return
  end
  local is_current = follow.since_now(bufnr)
  follow.ask(running, bufnr, 'textDocument/codeLens', {}, function(all, problem)
    if not problem then
      known[bufnr] = { all = all or {}, is_current = is_current }
      complete(running, bufnr, true)
    end
  end)
end

return M
