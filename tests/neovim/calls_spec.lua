-- How often functions were called and their lines ran: in the hover, in the list of what cost most, and at lines when they are asked for.
local t = ...

-- The workspace of the spec becomes that of a recorded program.
local tests = vim.fn.fnamemodify(vim.env.PROFLENS_EXPECTED, ':h:h:h')
vim.fn.system({ 'cp', tests .. '/workspaces/counted/texts.mjs', '.' })
vim.fn.mkdir('.proflens/recordings', 'p')
vim.fn.system({ 'cp', tests .. '/traces/chrome-trace/counted-node20.json.gz', '.proflens/recordings' })

t.test('a hover says how often, and how long a call took', function()
  -- It is the newest of the folder.
  t.eventually('the recording', function()
    return require('proflens').status():find('counted-node20.json.gz', 1, true)
  end)
  vim.cmd.edit('texts.mjs')
  t.loaded()
  vim.api.nvim_win_set_cursor(0, { 4, 10 })
  t.contains(table.concat(t.hover(), '\n'), '500,000 calls, ')
end)

t.test('the list of the hottest says how often', function()
  vim.fn.setqflist({}, 'r', { title = '', items = {} })
  vim.cmd('Proflens hot')
  t.eventually('the list', function()
    return #vim.fn.getqflist() > 0
  end)
  vim.cmd.cclose()
  t.contains(table.concat(t.quickfix(), '\n'), '500,000 calls')
end)

t.test('lines say how often they ran, with their costs', function()
  vim.cmd('Proflens lines')
  ---The lines of `normalize`.
  local function ran()
    local all = t.marks('proflens.lines', function(details)
      return details.virt_text[1][1]:match('ran [%d,]+ times') or ''
    end)
    return vim.tbl_filter(function(line)
      local row = tonumber(line:match('^%d+'))
      return row > 4 and row < 19
    end, all)
  end
  t.becomes(ran, {
    '5 ran 500,000 times',
    '6 ran 489,994 times',
    '8 ran 10,006 times',
    '10 ran 30,018 times',
    '11 ran 5,003 times',
    '15 ran 10,006 times',
    '16 ran 10,006 times',
  })
end)

t.test('coverage joins the trace that is shown', function()
  local script = vim.json.encode(vim.uri_from_fname(vim.fn.fnamemodify('texts.mjs', ':p')))
  local text = table.concat(vim.fn.readfile('texts.mjs'), '\n')
  local start = text:find('function normalize', 1, true) - 1
  local last = select(2, text:find('\n}', start, true))
  local range = ('{"startOffset":%d,"endOffset":%d,"count":77}'):format(start, last)
  local functions = ('[{"functionName":"normalize","isBlockCoverage":true,"ranges":[%s]}]'):format(range)
  vim.fn.mkdir('coverage')
  vim.fn.writefile({ ('{"result":[{"url":%s,"functions":%s}]}'):format(script, functions) }, 'coverage/a.json')
  vim.cmd('Proflens load coverage')
  t.eventually('the calls', function()
    local client, protocol = require('proflens.client'), require('proflens.protocol')
    local params = { textDocument = vim.lsp.util.make_text_document_params(0) }
    local costs = client.request_sync(t.client(), protocol.DOCUMENT_COSTS, params, 0)
    return vim.tbl_contains(vim.tbl_map(function(cost)
      return cost.calls
    end, costs and costs.functions or {}), 77)
  end)
end)
