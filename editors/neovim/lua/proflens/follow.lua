-- Follows the texts of our buffers: says when one has changed, and lets only those answers of the server pass that are
-- about the text as it is. An older one would be drawn at other functions than it is about.
local client = require('proflens.client')

local M = {}

---How long a pause in typing is, in milliseconds.
local PAUSE = 100

---@class proflens.FollowedText
---@field version integer Grows with each change
---@field asked table<string, integer> How often each method was asked; only the last answer counts
---@field timer? uv.uv_timer_t Waits for a pause in typing

---@type table<integer, proflens.FollowedText>
local texts = {}

---Follow the text of a buffer until it is released or unloaded.
---@param bufnr integer
---@param on_pause fun() Called shortly after changes
---@param on_replaced fun() Called when the text was read again, so that no mark is where it belongs
function M.attach(bufnr, on_pause, on_replaced)
  local text = { version = 0, asked = {} } ---@type proflens.FollowedText
  texts[bufnr] = text
  local function is_over()
    return texts[bufnr] ~= text
  end
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function()
      if is_over() then
        return true
      end
      text.version = text.version + 1
      if text.timer and not text.timer:is_closing() then
        text.timer:close()
      end
      text.timer = vim.defer_fn(function()
        if not is_over() then
          on_pause()
        end
      end, PAUSE)
    end,
    on_reload = function()
      if not is_over() then
        text.version = text.version + 1
        on_replaced()
      end
    end,
    on_detach = function()
      if not is_over() then
        texts[bufnr] = nil
      end
    end,
  })
end

---@param bufnr integer
function M.release(bufnr)
  texts[bufnr] = nil
end

---A function that says whether the text of a buffer is still the one of now.
---@param bufnr integer
---@return fun(): boolean
function M.since_now(bufnr)
  local text = texts[bufnr]
  local version = text and text.version
  return function()
    return text ~= nil and texts[bufnr] == text and text.version == version and vim.api.nvim_buf_is_loaded(bufnr)
  end
end

---Ask something about the text of a buffer. An outdated answer does not count: what outdated it has caused another question.
---@param running vim.lsp.Client
---@param bufnr integer
---@param method string
---@param params table What to say besides the document
---@param on_answer fun(answer?: any, problem?: string)
function M.ask(running, bufnr, method, params, on_answer)
  local text = texts[bufnr]
  if not text or not running.attached_buffers[bufnr] then
    return
  end
  local is_current = M.since_now(bufnr)
  local number = (text.asked[method] or 0) + 1
  text.asked[method] = number
  params.textDocument = vim.lsp.util.make_text_document_params(bufnr)
  client.ask(running, method, params, function(answer, err)
    if is_current() and text.asked[method] == number then
      on_answer(answer, err and err.message)
    end
  end, bufnr)
end

return M
