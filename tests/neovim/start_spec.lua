-- When the server is started, and what the user sees when it cannot be.
local t = ...

local options = vim.g.proflens

local function clients()
  return #vim.lsp.get_clients({ name = 'proflens' })
end

---Start over, like a Neovim that has just opened its first file.
local function start_over(with)
  t.stop(vim.lsp.get_clients({ name = 'proflens' }))
  t.becomes(clients, 0)
  if vim.lsp.enable then
    vim.lsp.enable('proflens', false)
    vim.lsp.config('proflens', {}) -- forgets what lsp/proflens.lua said
  end
  vim.cmd('silent! %bwipeout!')
  vim.g.proflens = vim.tbl_extend('force', options, with)
  vim.g.loaded_proflens = nil
  vim.cmd.runtime('plugin/proflens.lua')
end

t.test('the first file starts it', function()
  t.client()
  t.equal(clients(), 1)
end)

t.test('the next file of the workspace joins', function()
  vim.cmd.edit('main.js')
  t.client()
  t.equal(clients(), 1)
end)

t.test('a file of another language does not', function()
  vim.cmd.edit('ORIGIN.md')
  vim.wait(100)
  t.equal(#vim.lsp.get_clients({ name = 'proflens', bufnr = 0 }), 0)
end)

t.test('a command without a server says what to do', function()
  start_over({ autostart = false })
  t.contains(
    t.said(function()
      vim.cmd('Proflens hot')
    end),
    'no server runs: open a JavaScript or TypeScript file first'
  )
end)

t.test('autostart can be turned off', function()
  vim.cmd.edit('generate.js')
  vim.wait(200)
  t.equal(clients(), 0)
end)

t.test('without it, the user starts it', function()
  if vim.lsp.enable then
    vim.lsp.enable('proflens')
  else
    vim.cmd('Proflens restart')
  end
  t.loaded()
  t.equal(clients(), 1)
end)

t.test('hints and lenses stay off if so wished', function()
  start_over({ hints = false, lens = false })
  vim.cmd.edit('generate.js')
  t.client()
  vim.wait(500)
  t.equal(t.drawn('hint'), {})
  t.equal(t.drawn('lens'), {})
end)

t.test('hints have the words where there are no lenses', function()
  start_over({ lens = false })
  vim.cmd.edit('generate.js')
  t.loaded()
  t.equal(t.drawn('hint')[1][3], '570ms self · 570ms total')
end)

t.test('the settings reach the server', function()
  start_over({ settings = { unit = 'percent' } })
  vim.cmd.edit('generate.js')
  t.loaded()
  t.contains(t.drawn('hint')[1][3], '% · ')
end)

t.test('a workspace folder can be named', function()
  start_over({ root_dir = vim.uv.cwd() .. '/recordings' })
  vim.cmd.edit('generate.js')
  t.equal(t.client().config.root_dir, vim.uv.cwd() .. '/recordings')
end)

t.test('a missing server is reported, once', function()
  start_over({ cmd = '/nowhere/proflens' })
  local said = t.said(function()
    vim.cmd.edit('generate.js')
    vim.cmd.edit('main.js')
  end)
  t.equal(said, 'proflens: vim.g.proflens.cmd names /nowhere/proflens, which cannot be run.')
  t.equal(clients(), 0)
end)
