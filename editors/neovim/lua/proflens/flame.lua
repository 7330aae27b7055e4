-- `:Proflens flame`: what is shown as a flame graph in the browser, where a double click brings Neovim to the definition.
local client = require('proflens.client')
local flame_server = require('proflens.flame_server')
local protocol = require('proflens.protocol')

local M = {}

---The flame graph of one workspace folder.
---@class proflens.FlameGraph
---@field root string
---@field window integer From which it was opened
---@field address { url: string, path: string }

---@type table<string, proflens.FlameGraph> By workspace folder
local graphs = {}

---What a click in the page names, as far as it is what it should be.
---@class proflens.FlameClick
---@field file? string
---@field path? string
---@field line? integer From 1
---@field column? integer

local NO_SERVER = 'the server of this flame graph does not run any more.'
local NO_PLACE = 'that function has no place in a file of this workspace.'
local NOTHING_SHOWN = 'no trace is loaded; `:Proflens load {file}` takes any.'

---@param running vim.lsp.Client
---@return string
local function root_of(running)
  return vim.fs.normalize(running.config.root_dir or assert(vim.uv.cwd()), { expand_env = false })
end

---@param graph proflens.FlameGraph
---@return vim.lsp.Client?
local function client_of(graph)
  return vim.iter(vim.lsp.get_clients({ name = client.name })):find(function(running)
    return root_of(running) == graph.root
  end)
end

---@param graph proflens.FlameGraph
---@param respond proflens.Respond
local function give_page(graph, respond)
  local running = client_of(graph)
  if not running then
    respond(503, 'proflens: ' .. NO_SERVER)
    return
  end
  client.ask(running, protocol.FLAME_PAGE, { editor = graph.address.path .. 'open' }, function(page, err)
    if err then
      respond(500, 'proflens: ' .. err.message)
    elseif not page then
      respond(404, 'proflens: ' .. NOTHING_SHOWN)
    else
      respond(200, page.html, 'text/html')
    end
  end)
end

---@param body string
---@return proflens.FlameClick?
local function parse_click(body)
  local ok, value = pcall(vim.json.decode, body, { luanil = { object = true, array = true } })
  if not ok or type(value) ~= 'table' then
    return nil
  end
  local function text(it)
    return type(it) == 'string' and it ~= '' and not it:find('%z') and it or nil
  end
  local function number(it)
    return type(it) == 'number' and it >= 1 and it < 2 ^ 31 and math.floor(it) or nil
  end
  return { file = text(value.file), path = text(value.path), line = number(value.line), column = number(value.column) }
end

---The absolute path of a file as the page names it: by its path from the workspace folder, in full, or as a `file:` URL.
---@param root string
---@param file string
---@return string?
local function absolute(root, file)
  if vim.startswith(file, 'file:') then
    local ok, path = pcall(vim.uri_to_fname, file)
    file = ok and path or ''
  end
  local is_absolute = vim.startswith(file, '/') or file:find('^%a:[/\\]') ~= nil
  if file == '' or (not is_absolute and file:find('^%a[%w+.-]+:')) then
    return nil
  end
  return vim.fs.normalize(is_absolute and file or vim.fs.joinpath(root, file), { expand_env = false })
end

---Whether a file exists and is below a folder, wherever links lead.
---@param file string
---@param root string
---@return boolean
local function is_file_below(file, root)
  local real, real_root = vim.uv.fs_realpath(file), vim.uv.fs_realpath(root)
  local stat = real and vim.uv.fs_stat(real)
  if not (real_root and stat and stat.type == 'file') then
    return false
  end
  return vim.startswith(vim.fs.normalize(real, { expand_env = false }), (vim.fs.normalize(real_root):gsub('/*$', '/')))
end

---Whether a buffer may be shown in a window instead of what is there.
---@param window integer
---@param bufnr integer
---@return boolean
local function is_free(window, bufnr)
  local present = vim.api.nvim_win_get_buf(window)
  if vim.fn.win_gettype(window) ~= '' or vim.bo[present].buftype ~= '' then
    return false
  elseif present == bufnr then
    return true
  elseif vim.wo[window].winfixbuf then
    return false
  end
  local hidden = vim.bo[present].bufhidden
  local stays = hidden == 'hide' or (hidden == '' and vim.o.hidden)
  return not vim.bo[present].modified or stays or #vim.fn.win_findbuf(present) > 1
end

---Go to the window from which the graph was opened, or to another one where files are, or to a new one.
---@param graph proflens.FlameGraph
---@param bufnr integer
local function enter_window(graph, bufnr)
  local windows = { graph.window, vim.api.nvim_get_current_win() }
  vim.list_extend(windows, vim.api.nvim_tabpage_list_wins(0))
  for _, window in ipairs(windows) do
    if vim.api.nvim_win_is_valid(window) and is_free(window, bufnr) then
      vim.api.nvim_set_current_win(window)
      return
    end
  end
  vim.cmd('topleft split')
  vim.wo.winfixbuf = false -- of the window that was split
end

---@param graph proflens.FlameGraph
---@param location { uri: string, range: lsp.Range }
---@param encoding string
---@return string? problem
local function jump(graph, location, encoding)
  local ok, problem = pcall(function()
    vim.cmd.stopinsert()
    local bufnr = vim.uri_to_bufnr(location.uri)
    vim.fn.bufload(bufnr)
    enter_window(graph, bufnr)
    -- A text may have become shorter since the page was made.
    local start = location.range.start
    start.line = math.min(start.line, vim.api.nvim_buf_line_count(bufnr) - 1)
    vim.lsp.util.show_document(location, encoding, { reuse_win = false, focus = true })
    vim.cmd('normal! zv')
  end)
  return not ok and ('Neovim did not go there: %s.'):format(problem) or nil
end

---@param graph proflens.FlameGraph
---@param body string
---@param respond proflens.Respond
local function open_function(graph, body, respond)
  local click = parse_click(body)
  if not click then
    respond(400, 'A click is JSON: {"file", "path", "line", "column"}.')
    return
  end
  local function finish(problem)
    if problem then
      client.notify(problem, vim.log.levels.WARN)
      respond(404, problem)
    else
      respond(204)
    end
  end
  local file = click.file and absolute(graph.root, click.file)
  local function open_line()
    if not (file and click.line and is_file_below(file, graph.root)) then
      finish(NO_PLACE)
      return
    end
    local start = { line = click.line - 1, character = (click.column or 1) - 1 }
    local location = { uri = vim.uri_from_fname(file), range = { start = start, ['end'] = start } }
    finish(jump(graph, location, 'utf-16')) -- as engines count columns
  end
  local running = client_of(graph)
  if not (running and file and click.path) then
    open_line()
    return
  end
  local params = { uri = vim.uri_from_fname(file), path = click.path }
  client.ask(running, protocol.FUNCTION, params, function(found)
    -- Without an answer the place is that of the time when the page was made.
    if found then
      finish(jump(graph, { uri = found.uri, range = found.selectionRange }, running.offset_encoding))
    else
      open_line()
    end
  end)
end

---@param running vim.lsp.Client
---@param window integer
local function open_browser(running, window)
  local root = root_of(running)
  local graph = graphs[root]
  if not graph then
    graph = { root = root, window = window }
    local address, problem = flame_server.add({
      page = function(respond)
        give_page(graph, respond)
      end,
      open = function(body, respond)
        open_function(graph, body, respond)
      end,
    })
    if not address then
      client.notify(('the flame graph cannot be served on this machine: %s.'):format(problem), vim.log.levels.ERROR)
      return
    end
    graph.address = address
    graphs[root] = graph
  end
  graph.window = window
  local command, problem = vim.ui.open(graph.address.url)
  if command then
    -- Also for those whose browser did not come up, or is on another machine.
    client.notify('flame graph: ' .. graph.address.url)
  else
    client.notify(('no browser was found (%s); open %s.'):format(problem, graph.address.url), vim.log.levels.WARN)
  end
end

---@param running vim.lsp.Client
---@param window integer
local function show(running, window)
  client.ask(running, protocol.STATUS, vim.empty_dict(), function(status, err)
    if err then
      client.notify(err.message, vim.log.levels.ERROR)
    elseif not require('proflens.ledger').shown(status) then
      client.notify(NOTHING_SHOWN)
    else
      open_browser(running, window)
    end
  end)
end

---Stop serving; pages that are open stay as they are, and their clicks reach nobody.
function M.stop()
  graphs = {}
  if not flame_server.stop() then
    client.notify('no flame graph is open.')
  end
end

---Open what is shown in the browser.
---@param trace? string URL of a trace to show first
function M.open(trace)
  local running = client.get_or_notify()
  if not running then
    return
  end
  local window = vim.api.nvim_get_current_win()
  if not trace then
    show(running, window)
    return
  end
  local params = { command = 'proflens.loadTrace', arguments = { trace } }
  client.ask(running, 'workspace/executeCommand', params, function(loaded, err)
    if err then
      client.notify(err.message, vim.log.levels.ERROR)
    elseif loaded and loaded.shown then
      open_browser(running, window)
    end
    -- The server itself says why a trace cannot be read.
  end)
end

return M
