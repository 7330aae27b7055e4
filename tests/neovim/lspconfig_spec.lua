-- The configuration to copy, without the plugin: Neovim itself starts the server of the project and shows its hints.
local t = ...

local file = vim.api.nvim_get_runtime_file('lspconfig/proflens.lua', false)[1]

t.test('the file to copy is for the same files and folders as the plugin', function()
  t.loaded()
  local copied = dofile(file)
  t.equal(copied.filetypes, require('proflens.server').filetypes)
  t.equal(copied.root_markers, require('proflens.config').defaults.root_markers)
end)

if not vim.lsp.enable then
  return -- Neovim 0.10 reads no such files
end

t.test('the file to copy shows the hints', function()
  local here = assert(vim.uv.cwd())
  vim.fn.mkdir(here .. '/.git', 'p')
  vim.fn.mkdir(here .. '/node_modules/.bin', 'p')
  assert(vim.uv.fs_symlink(assert(vim.env.PROFLENS), here .. '/node_modules/.bin/proflens'))
  vim.lsp.enable('proflens', false)
  t.stop(vim.lsp.get_clients({ name = 'proflens' }))
  t.becomes(function()
    return #vim.lsp.get_clients({ name = 'proflens' })
  end, 0)
  vim.cmd('silent! %bwipeout!')
  vim.lsp.config('bare', dofile(file))
  vim.lsp.enable('bare')
  vim.cmd.edit('generate.js')
  t.becomes(function()
    local running = vim.lsp.get_clients({ bufnr = 0, name = 'bare' })[1]
    return running and { running.name, running.root_dir }
  end, { 'bare', here })
  vim.lsp.inlay_hint.enable()
  t.becomes(function()
    return t.drawn('hint', 0, 'nvim.lsp.inlayhint')
  end, vim.tbl_map(function(place) -- in words, as Neovim shows no lenses by itself
    return { place[1], place[2], (place[3]:gsub('^(%S+) · (%S+)$', '%1 self · %2 total')) }
  end, t.expected('hint', 'generate.js')))
  local children = vim.fn.systemlist({ 'ps', '-o', 'args=', '--ppid', tostring(vim.fn.getpid()) })
  assert(vim.list_contains(children, here .. '/node_modules/.bin/proflens lsp'), vim.inspect(children))
end)
