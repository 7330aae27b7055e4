-- Hints, lenses and hovers are what expected.txt says, and stay with their functions.
local t = ...

local function hints()
  return t.drawn('hint')
end

t.test('hints stand at the ends of headers', function()
  t.becomes(hints, t.expected('hint', 'generate.js'))
end)

t.test('lenses stand at their functions', function()
  t.becomes(t.lenses, t.without_columns(t.expected('lens', 'generate.js')))
end)

t.test('a hover says what a function cost', function()
  for _, hover in ipairs(t.expected('hover', 'generate.js')) do
    vim.api.nvim_win_set_cursor(0, { hover[1], hover[2] - 1 })
    local lines = t.hover()
    t.contains(table.concat(lines, '\n'), hover[3])
    t.contains(table.concat(lines, '\n'), '`:Proflens lines` shows or hides the cost of each line.')
    vim.cmd('normal! gg0') -- closes it
    vim.api.nvim_exec_autocmds('CursorMoved', {})
    t.becomes(t.float, nil)
  end
end)

t.test('hints and lenses move with edits', function()
  local moved_hints = t.expected('hint', 'generate.js')
  local moved_lenses = t.without_columns(t.expected('lens', 'generate.js'))
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// one', '// two' })
  for _, place in ipairs(moved_hints) do
    place[1] = place[1] + 2
  end
  for _, place in ipairs(moved_lenses) do
    place[1] = place[1] + 2
  end
  t.becomes(hints, moved_hints)
  t.becomes(t.lenses, moved_lenses)
end)

t.test('a text before a header moves its hint', function()
  local place = t.expected('hint', 'generate.js')[1]
  local row = place[1] + 2
  local line = vim.api.nvim_buf_get_lines(0, row - 1, row, false)[1]
  local prefix = '/* é😀 */ '
  vim.api.nvim_buf_set_lines(0, row - 1, row, false, { prefix .. line })
  t.becomes(function()
    return hints()[1]
  end, { row, place[2] + #prefix, place[3] })
end)

t.test('undo brings all of it back', function()
  vim.cmd('silent undo 0')
  t.becomes(hints, t.expected('hint', 'generate.js'))
  t.becomes(t.lenses, t.without_columns(t.expected('lens', 'generate.js')))
end)

t.test('another file of the workspace has its own', function()
  vim.cmd.edit('main.js')
  t.becomes(hints, t.expected('hint', 'main.js'))
  t.becomes(t.lenses, t.without_columns(t.expected('lens', 'main.js')))
end)

t.test('a hidden buffer is updated for another trace', function()
  local first = vim.fn.bufnr('generate.js')
  local before = t.expected('hint', 'generate.js')
  vim.cmd('Proflens load recordings/self-profiling.json')
  t.eventually('other hints', function()
    return not vim.deep_equal(hints(), t.expected('hint', 'main.js'))
  end)
  vim.cmd.buffer(first)
  t.eventually('other hints', function()
    local now = hints()
    return #now > 0 and not vim.deep_equal(now, before)
  end)
end)
