-- A tree of callers or callees as data: its nodes are asked from the server as they are unfolded, and asked again when
-- another recording is shown or the text may have changed. `tree.lua` shows it.
local client = require('proflens.client')
local protocol = require('proflens.protocol')

local M = {}

---@class proflens.TreeNode
---@field item? proflens.CallTreeItem What it is; none for the root
---@field path integer[] The keys that lead to it
---@field open boolean Whether it is unfolded
---@field limit integer So many of its children are shown
---@field answer? proflens.CallTree What the server said about it
---@field children proflens.TreeNode[]
---@field problem? string Why there is no answer, a sentence

---@class proflens.Tree
---@field running vim.lsp.Client
---@field about proflens.CallersParams The function at the root
---@field direction proflens.CallDirection
---@field name? string The name of that function
---@field recording? integer The recording of all its answers
---@field root proflens.TreeNode
---@field version integer Grows when the tree is asked again; answers to older questions do not count

---How many children of a node are shown at first, and how many more each time they are asked for.
M.step = 100

---The error of the protocol for a question whose answer would be outdated.
local CONTENT_MODIFIED = -32801

---@param item? proflens.CallTreeItem
---@param path integer[]
---@return proflens.TreeNode
local function new_node(item, path)
  return { item = item, path = path, open = item == nil, limit = M.step, children = {} }
end

---@param running vim.lsp.Client
---@param about proflens.CallersParams
---@param direction proflens.CallDirection
---@return proflens.Tree
function M.new(running, about, direction)
  return { running = running, about = about, direction = direction, root = new_node(nil, {}), version = 0 }
end

---What a child still is when another recording is shown, in which keys are others.
---@param item proflens.CallTreeItem
---@return string
local function identity(item)
  local place = item['function']
  return table.concat({ item.name, item.description or '', place and place.uri or '', place and place.path or '' }, '\n')
end

---Put the children of an answer in place of those of the last one; those that are still there stay unfolded.
---@param node proflens.TreeNode
local function renew_children(node)
  local known = {} ---@type table<string, proflens.TreeNode>
  for _, child in ipairs(node.children) do
    known[identity(child.item)] = child
  end
  node.children = vim.tbl_map(function(item)
    local path = vim.list_extend(vim.list_slice(node.path), { item.key })
    local child = known[identity(item)]
    if not child then
      return new_node(item, path)
    end
    known[identity(item)] = nil -- two functions may look alike
    child.item, child.path = item, path
    if not child.open then
      child.answer, child.children = nil, {} -- asked for again when it is unfolded
    end
    return child
  end, node.answer.items)
end

---The sentence for a function without an answer.
---@param tree proflens.Tree
---@param on_sentence fun(sentence: string)
local function explain_nothing(tree, on_sentence)
  client.ask(tree.running, protocol.STATUS, vim.empty_dict(), function(status, err)
    if err then
      on_sentence(err.message)
    elseif not require('proflens.ledger').shown(status) then
      on_sentence('no trace is loaded; `:Proflens load {file}` takes any.')
    elseif tree.name then
      on_sentence(('no cost was measured for %s in what is shown now.'):format(tree.name))
    else
      on_sentence('no cost was measured for a function here.')
    end
  end)
end

---@param tree proflens.Tree
---@param node proflens.TreeNode
---@param problem string
local function set_problem(tree, node, problem)
  node.answer, node.children, node.problem = nil, {}, problem
  if node == tree.root then
    tree.recording = nil
  end
end

---Ask for a node, and for those below it that are unfolded.
---@param tree proflens.Tree
---@param node proflens.TreeNode
---@param on_done fun() Called once all of them have an answer or a problem
---@param on_all? fun() Called instead where the whole tree has to be asked again
local function ask(tree, node, on_done, on_all)
  local version = tree.version
  client.ask(tree.running, protocol.CALL_TREE, M.params(tree, node), function(answer, err)
    if version ~= tree.version then
      return
    end
    if err and err.code == CONTENT_MODIFIED then
      M.renew(tree, on_all or on_done)
      return
    elseif err then
      set_problem(tree, node, err.message)
      on_done()
      return
    elseif not answer then
      explain_nothing(tree, function(sentence)
        if version == tree.version then
          set_problem(tree, node, sentence)
          on_done()
        end
      end)
      return
    end
    node.answer, node.problem = answer, nil
    -- From now on by its place in the outline: a position in the text may soon be that of something else.
    tree.about, tree.name, tree.recording = answer['function'], answer.name, answer.recording
    renew_children(node)
    local open = vim.tbl_filter(function(child)
      return child.open
    end, node.children)
    local waiting = #open
    if waiting == 0 then
      on_done()
    end
    for _, child in ipairs(open) do
      ask(tree, child, function()
        waiting = waiting - 1
        if waiting == 0 then
          on_done()
        end
      end, on_all or on_done)
    end
  end)
end

---Ask for the whole tree again, as far as it is unfolded.
---@param tree proflens.Tree
---@param on_done fun()
function M.renew(tree, on_done)
  tree.version = tree.version + 1
  tree.recording = nil
  tree.running = client.get() or tree.running -- it may have been restarted
  ask(tree, tree.root, on_done)
end

---Show callees instead of callers, or callers instead of callees.
---@param tree proflens.Tree
---@param direction proflens.CallDirection
---@param on_done fun()
function M.turn(tree, direction, on_done)
  tree.direction = direction
  tree.root = new_node(nil, {})
  M.renew(tree, on_done)
end

---What names a node in requests.
---@param tree proflens.Tree
---@param node proflens.TreeNode
---@return proflens.CallTreeParams
function M.params(tree, node)
  return { ['function'] = tree.about, direction = tree.direction, path = node.path, recording = tree.recording }
end

---Unfold a node, or fold it.
---@param tree proflens.Tree
---@param node proflens.TreeNode
---@param on_done fun()
function M.toggle(tree, node, on_done)
  node.open = not node.open
  local is_asked = tree.recording == nil -- with the whole tree, whose keys are not known yet
  if not node.open or node.answer or is_asked then
    on_done()
  else
    ask(tree, node, on_done)
  end
end

return M
