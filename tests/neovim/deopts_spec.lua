-- Why a function is slow in V8: in its hover, and on request as hints on its lines.
local t = ...

-- The workspace of the spec becomes that of a recorded program.
local tests = vim.fn.fnamemodify(vim.env.PROFLENS_EXPECTED, ':h:h:h')
vim.fn.system({ 'cp', tests .. '/workspaces/deopts/cart.js', '.' })
vim.fn.mkdir('.proflens/recordings', 'p')
vim.fn.system({ 'cp', tests .. '/traces/chrome-trace/deopts-node20.json.gz', '.proflens/recordings' })

---What is on the lines: `5: text`.
local function diagnostics()
  local all = vim.tbl_map(function(it)
    assert(it.severity == vim.diagnostic.severity.HINT)
    return ('%d: %s'):format(it.lnum + 1, it.message)
  end, vim.tbl_filter(function(it)
    return it.source == 'proflens'
  end, vim.diagnostic.get(0)))
  table.sort(all)
  return all
end

t.test('a hover says how often, why and where', function()
  -- It is the newest of the folder.
  t.eventually('the recording', function()
    return require('proflens').status():find('deopts-node20.json.gz · 211 samples', 1, true)
  end)
  vim.cmd.edit('cart.js')
  t.loaded()
  vim.api.nvim_win_set_cursor(0, { 4, 10 })
  local lines = table.concat(t.hover(), '\n')
  t.contains(lines, 'deoptimised 7 times: `wrong map`, line 5 and 1 more; megamorphic access of `count`, line 5')
  t.equal(diagnostics(), {})
end)

t.test('hints are on the lines on request, and go again', function()
  local client = t.client()
  local function set(wanted)
    client.settings = { proflens = { deopts = { diagnostics = wanted } } }
    local params = { settings = client.settings }
    if vim.fn.has('nvim-0.11') == 1 then
      client:notify('workspace/didChangeConfiguration', params)
    else
      -- It is not told to ask again, and does so with the next edit.
      client.notify('workspace/didChangeConfiguration', params)
      vim.api.nvim_buf_set_lines(0, -1, -1, false, { '' })
    end
  end
  set(true)
  t.becomes(diagnostics, {
    '1: V8 never optimised this function, though it is hot',
    '5: V8 gave up optimised code 2 times: not a Number or Oddball',
    '5: V8 gave up optimised code 5 times: wrong map',
    '5: V8 met too many shapes of objects to remember this access: count',
    '5: V8 met too many shapes of objects to remember this access: price',
  })
  set(false)
  t.becomes(diagnostics, {})
end)
