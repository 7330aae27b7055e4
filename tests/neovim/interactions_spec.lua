-- What a user did on a page: each click and key is a part of the recording that can be picked.
local t = ...

-- The workspace of the spec becomes that of the page.
local tests = vim.fn.fnamemodify(vim.env.PROFLENS_EXPECTED, ':h:h:h')
vim.fn.system({ 'cp', tests .. '/workspaces/interactions/orders.js', '.' })
vim.fn.system({ 'cp', tests .. '/traces/chrome-trace/interactions-chromium156.json.gz', 'page.json.gz' })

local function status()
  return require('proflens').status()
end

t.test('they are listed, the slowest first, and the costs of the one that is picked are shown', function()
  t.loaded()
  vim.cmd('Proflens load page.json.gz')
  t.eventually('the trace', function()
    return status():find('page.json.gz', 1, true)
  end)
  vim.cmd.edit('orders.js')
  local asked = t.answering('click interaction#1 (', function()
    vim.cmd('Proflens window')
  end)
  t.equal(vim.list_slice(asked, 1, 3), {
    'click interaction#1 (at 562 ms, 168 ms)',
    'click interaction#3 (at 1.96 s, 151 ms)',
    'keypress interaction#1 (at 1.24 s, 103 ms)',
  })
  t.eventually('the click', function()
    return status():find('click interaction#1 (168 ms)', 1, true)
  end)
  t.becomes(function()
    return vim.tbl_map(function(hint)
      return hint[1] .. ' ' .. hint[3]
    end, t.drawn('hint'))
  end, { '3 118ms · 118ms', '9 4.78ms · 4.78ms', '12 3.08ms · 126ms', '14 (341µs · 341µs)' })
end)
