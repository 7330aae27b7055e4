-- Neovim reads this file at every start, so it only defines commands and mappings; their code is loaded on first use.
if vim.g.loaded_proflens then
  return
end
vim.g.loaded_proflens = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.notify('proflens: this plugin needs Neovim 0.10 or newer.', vim.log.levels.ERROR)
  return
end

vim.api.nvim_create_autocmd('FileType', {
  group = vim.api.nvim_create_augroup('proflens.autostart', {}),
  pattern = { 'javascript', 'javascriptreact', 'typescript', 'typescriptreact', 'vue', 'svelte', 'astro', 'html', 'mdx' },
  desc = 'Start Proflens with the first file that can hold JavaScript or TypeScript',
  callback = function(event)
    require('proflens.server').autostart(event.buf)
  end,
})

vim.api.nvim_create_autocmd('LspAttach', {
  group = vim.api.nvim_create_augroup('proflens.commands', {}),
  desc = 'Run the commands of the lenses of Proflens here',
  callback = function(event)
    local running = vim.lsp.get_client_by_id(event.data.client_id)
    if running and running.name == 'proflens' then
      require('proflens.commands').register()
    end
  end,
})

vim.api.nvim_create_user_command('Proflens', function(options)
  require('proflens.commands').run(options)
end, {
  nargs = '*',
  desc = 'What functions cost: load, hot, callers, next, … (see :help :Proflens)',
  complete = function(...)
    return require('proflens.commands').complete(...)
  end,
})

local mapped = 'next prev hot callers callees flame lines ledger select threads toggle unit record previous'
for _, name in ipairs(vim.split(mapped, ' ')) do
  local plug = (name == 'next' or name == 'prev') and name .. '-hot' or name
  vim.keymap.set('n', ('<Plug>(proflens-%s)'):format(plug), function()
    require('proflens.commands').subcommands[name].run({ count = vim.v.count1 })
  end, { desc = 'Proflens: ' .. name })
end
