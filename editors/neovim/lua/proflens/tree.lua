-- The window of `:Proflens callers` and `:Proflens callees`: a tree that unfolds, in a scratch buffer below.
local call_tree = require('proflens.call_tree')
local client = require('proflens.client')
local text = require('proflens.text')

local M = {}

local namespace = vim.api.nvim_create_namespace('proflens.tree')

---@class proflens.TreeRow
---@field node? proflens.TreeNode The node that it shows; none where it only says something
---@field more? proflens.TreeNode The node of which it can show more

---@class proflens.TreeView
---@field tree proflens.Tree
---@field bufnr integer
---@field rows proflens.TreeRow[] What each line of the buffer is
---@field source integer The window from which it was opened
---@field mark [integer, integer] Where the function at the root was asked for: a buffer and a mark in it

---@type proflens.TreeView?
local view

---A text and its highlight group, or an amount, whose texts are as wide as their columns.
---@alias proflens.Chunk [string|proflens.Amount, string?]

---@param item proflens.CallTreeItem
---@return string
local function place(item)
  local definition = item['function']
  local uri = item.uri or definition and definition.uri
  if not uri then
    return item.description or ''
  end
  local path = vim.fn.fnamemodify(vim.uri_to_fname(uri), ':.')
  if not item.uri then
    return 'is not in ' .. path .. ' any more'
  end
  return ('%s:%d'):format(path, item.selectionRange.start.line + 1)
end

---What is said about the part of a node that ends there.
---@param tree proflens.Tree
---@param node proflens.TreeNode
---@return string
local function ends_in(tree, node)
  if tree.direction == 'callers' then
    return 'called by no function: an event, a timer or the start'
  end
  return ('in %s itself'):format(node.item and node.item.name or tree.name)
end

---@param tree proflens.Tree
---@return proflens.Chunk[]
local function title(tree)
  local what = tree.direction == 'callers' and 'Callers of ' or 'Callees of '
  local chunks = { { what, 'ProflensNote' }, { tree.name or 'a function', 'ProflensTitle' } }
  local answer = tree.root.answer
  if answer then
    chunks[3] = { ('  %s'):format(text.in_full(answer.total)), 'ProflensNote' }
  end
  return chunks
end

---Draw the rows of what is unfolded below a node.
---@param tree proflens.Tree
---@param node proflens.TreeNode
---@param depth integer
---@param add fun(row: proflens.TreeRow, chunks: proflens.Chunk[])
local function draw(tree, node, depth, add)
  local indent = { ('  '):rep(depth) }
  if not node.answer then
    add({}, { indent, { node.problem or 'asking the server …', 'ProflensNote' } })
    return
  end
  local answer = node.answer
  ---@type [integer, fun()][] The amount of each row, and what draws it
  local rows = {}
  for index = 1, math.min(node.limit, #node.children) do
    local child = node.children[index]
    local item = child.item
    rows[index] = {
      text.count(item.total),
      function()
        local chunks = { indent, { child.open and '▾ ' or '▸ ', 'ProflensNote' } }
        chunks[#chunks + 1] = { item.total }
        chunks[#chunks + 1] = { '  ' .. item.name, item.uri and 'ProflensName' or 'ProflensNote' }
        chunks[#chunks + 1] = { '  ' .. place(item), 'ProflensNote' }
        add({ node = child }, chunks)
        if child.open then
          draw(tree, child, depth + 1, add)
        end
      end,
    }
  end
  local ends = text.count(answer.ends)
  if ends > 0 or #node.children == 0 then
    local at = #rows + 1
    while at > 1 and rows[at - 1][1] < ends do
      at = at - 1
    end
    table.insert(rows, at, {
      ends,
      function()
        local chunks = { indent, { '  ' } }
        chunks[#chunks + 1] = { answer.ends }
        chunks[#chunks + 1] = { '  ' .. ends_in(tree, node), 'ProflensNote' }
        add({}, chunks)
      end,
    })
  end
  for _, row in ipairs(rows) do
    row[2]()
  end
  local hidden = #node.children - node.limit
  if hidden > 0 then
    add({ more = node }, { indent, { ('▸ %d more'):format(hidden), 'ProflensNote' } })
  elseif answer.others then
    local others = answer.others
    local chunks = { indent, { '  ' } }
    chunks[#chunks + 1] = { others.total }
    local what = ('  %d more together, each less than those above'):format(others.count)
    chunks[#chunks + 1] = { what, 'ProflensNote' }
    add({}, chunks)
  end
end

---@param current proflens.TreeView
local function render(current)
  local bufnr = current.bufnr
  if not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  local window = vim.fn.bufwinid(bufnr)
  local cursor = window ~= -1 and vim.api.nvim_win_get_cursor(window) or { 1, 0 }
  local before = current.rows[cursor[1]]
  local drawn, amounts = {}, {} ---@type proflens.Chunk[][], proflens.Amount[]
  current.rows = {}
  ---@param row proflens.TreeRow
  ---@param chunks proflens.Chunk[]
  local function add(row, chunks)
    drawn[#drawn + 1] = chunks
    current.rows[#drawn] = row
    for _, chunk in ipairs(chunks) do
      if type(chunk[1]) == 'table' then
        amounts[#amounts + 1] = chunk[1]
      end
    end
  end
  add({ node = current.tree.root }, title(current.tree))
  draw(current.tree, current.tree.root, 0, add)

  local lines, groups = {}, {} ---@type string[], [integer, integer, integer, string][]
  local cells = vim.iter(text.columns(amounts))
  for _, chunks in ipairs(drawn) do
    local line = ''
    local function append(cell, group)
      local start = #line
      line = line .. cell:gsub('\n', ' ')
      if group then
        groups[#groups + 1] = { #lines, start, #line, group }
      end
    end
    for _, chunk in ipairs(chunks) do
      if type(chunk[1]) == 'table' then
        local cell = cells:next()
        append(cell[1] .. '  ', 'ProflensAmount')
        append(cell[2], 'ProflensShare')
      else
        append(chunk[1], chunk[2])
      end
    end
    lines[#lines + 1] = line:gsub('%s+$', '')
  end

  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  vim.bo[bufnr].modifiable = false
  if window ~= -1 then
    local at = math.min(cursor[1], #lines)
    for index, row in ipairs(current.rows) do
      at = row.node and before and row.node == before.node and index or at
    end
    vim.api.nvim_win_set_cursor(window, { at, cursor[2] })
  end
  vim.api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
  for _, group in ipairs(groups) do
    local to = math.min(group[3], #lines[group[1] + 1])
    vim.api.nvim_buf_set_extmark(bufnr, namespace, group[1], group[2], { end_col = to, hl_group = group[4] })
  end
  local other = current.tree.direction == 'callers' and 'callees' or 'callers'
  local keys = ('<Tab> unfold  <CR> go there  c %s  f focus  q close '):format(other)
  vim.api.nvim_buf_set_extmark(bufnr, namespace, 0, 0, {
    virt_text = { { keys, 'ProflensNote' } },
    virt_text_pos = 'right_align',
  })
end

---@param current proflens.TreeView
---@return fun()
local function renderer(current)
  return function()
    render(current)
  end
end

---@param current proflens.TreeView
---@return proflens.TreeRow
local function row_at_cursor(current)
  return current.rows[vim.api.nvim_win_get_cursor(0)[1]] or {}
end

---@param current proflens.TreeView
local function unfold(current)
  local row = row_at_cursor(current)
  if row.more then
    row.more.limit = row.more.limit + call_tree.step
    render(current)
  elseif row.node and row.node ~= current.tree.root then
    call_tree.toggle(current.tree, row.node, renderer(current))
    render(current)
  end
end

---Go to the window from which the tree was opened, or to a new one above if that is closed.
---@param current proflens.TreeView
local function enter_source(current)
  if not vim.api.nvim_win_is_valid(current.source) then
    vim.cmd('aboveleft split')
    current.source = vim.api.nvim_get_current_win()
  end
  vim.api.nvim_set_current_win(current.source)
end

---Go to where the function at the root was asked for.
---@param current proflens.TreeView
local function go_to_root(current)
  local bufnr, mark = current.mark[1], current.mark[2]
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    client.notify(('the file of %s is closed.'):format(current.tree.name))
    return
  end
  enter_source(current)
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_buf(0, bufnr)
  local at = vim.api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})
  vim.api.nvim_win_set_cursor(0, { at[1] + 1, at[2] })
end

---@param current proflens.TreeView
local function jump(current)
  local row = row_at_cursor(current)
  if row.more then
    unfold(current)
    return
  elseif row.node == current.tree.root then
    go_to_root(current)
    return
  elseif not row.node then
    client.notify('there is no function on this line to go to.')
    return
  end
  -- The text may have changed since the tree was drawn.
  call_tree.renew(current.tree, function()
    render(current)
    local item = row.node.item
    local is_there = vim.iter(current.rows):any(function(it)
      return it.node == row.node
    end)
    if not is_there then
      client.notify(('%s is not in what is shown now.'):format(item.name))
    elseif not item.uri then
      local why = item['function'] and place(item) or 'is no function of this workspace'
      client.notify(('%s %s.'):format(item.name, why))
    else
      enter_source(current)
      local location = { uri = item.uri, range = item.selectionRange }
      vim.lsp.util.show_document(location, current.tree.running.offset_encoding, { reuse_win = true, focus = true })
    end
  end)
end

---Look only at what flows through the node of the row.
---@param current proflens.TreeView
local function focus(current)
  local row = row_at_cursor(current)
  if row.node and row.node ~= current.tree.root and current.tree.recording then
    require('proflens.scope').focus_on_path(call_tree.params(current.tree, row.node))
  else
    client.notify('there is no function on this line to look at.')
  end
end

---@param current proflens.TreeView
local function turn(current)
  local direction = current.tree.direction == 'callers' and 'callees' or 'callers'
  call_tree.turn(current.tree, direction, renderer(current))
  render(current)
end

---Ask again what is on the screen, as another trace may be shown and texts may have changed.
function M.refresh()
  local current = view
  if current and vim.api.nvim_buf_is_valid(current.bufnr) then
    call_tree.renew(current.tree, renderer(current))
  end
end

---@param current proflens.TreeView
local function add_keys(current)
  local function map(keys, action, description)
    for _, key in ipairs(keys) do
      vim.keymap.set('n', key, function()
        action(current)
      end, { buffer = current.bufnr, nowait = true, desc = 'Proflens: ' .. description })
    end
  end
  map({ '<Tab>', 'za', 'o' }, unfold, 'unfold or fold')
  map({ '<CR>', '<2-LeftMouse>' }, jump, 'go to the function')
  map({ 'c' }, turn, 'callers or callees')
  map({ 'f' }, focus, 'look only at this path')
  map({ 'q' }, function()
    vim.cmd.close()
  end, 'close')
end

---@param tree proflens.Tree
---@param source integer
---@param mark [integer, integer]
local function open(tree, source, mark)
  local bufnr = view and vim.api.nvim_buf_is_valid(view.bufnr) and view.bufnr or vim.api.nvim_create_buf(false, true)
  local current = { tree = tree, bufnr = bufnr, rows = {}, source = source, mark = mark }
  if view and vim.api.nvim_buf_is_valid(view.mark[1]) then
    vim.api.nvim_buf_del_extmark(view.mark[1], namespace, view.mark[2])
  end
  view = current
  require('proflens.highlights').define()
  local window = vim.fn.bufwinid(bufnr)
  if window ~= -1 then
    vim.api.nvim_set_current_win(window)
  else
    vim.cmd('botright 12split')
    vim.api.nvim_win_set_buf(0, bufnr)
    vim.bo[bufnr].bufhidden = 'wipe'
    vim.bo[bufnr].filetype = 'proflens'
    vim.api.nvim_buf_set_name(bufnr, 'proflens://calls')
    for option, value in pairs({
      cursorline = true,
      fillchars = 'eob: ',
      list = false,
      number = false,
      relativenumber = false,
      signcolumn = 'no',
      winfixheight = true,
      wrap = false,
    }) do
      vim.api.nvim_set_option_value(option, value, { scope = 'local', win = 0 })
    end
    vim.api.nvim_create_autocmd('BufEnter', { buffer = bufnr, callback = M.refresh, desc = 'Proflens: ask anew' })
  end
  add_keys(current)
  render(current)
  vim.api.nvim_win_set_cursor(0, { math.min(2, vim.api.nvim_buf_line_count(bufnr)), 0 })
end

---Show the callers or callees of a function: the one that the arguments of a lens name, or the one under the cursor.
---@param direction proflens.CallDirection
---@param arguments? any[]
function M.open(direction, arguments)
  local running = client.get_or_notify()
  if not running then
    return
  end
  local source, bufnr = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
  if view and view.bufnr == bufnr then
    -- Asked for in the tree itself, where there is no text under the cursor.
    call_tree.turn(view.tree, direction, renderer(view))
    return
  end
  local about = arguments and arguments[1] or vim.lsp.util.make_position_params(0, running.offset_encoding)
  local cursor = vim.api.nvim_win_get_cursor(0)
  local mark = vim.api.nvim_buf_set_extmark(bufnr, namespace, cursor[1] - 1, cursor[2], {})
  local tree = call_tree.new(running, about, direction)
  call_tree.renew(tree, function()
    if tree.root.answer then
      open(tree, source, { bufnr, mark })
    else
      client.notify(tree.root.problem or 'the server did not answer.')
    end
  end)
end

return M
