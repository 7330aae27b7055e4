-- `:help proflens` works from a plain clone, because the tags of the help are in it.
local t = ...

t.test('the help opens at what is asked for', function()
  for _, tag in ipairs({ 'proflens', ':Proflens', ':Proflens-hot', 'proflens-settings', 'proflens-unit' }) do
    vim.cmd.help(tag)
    t.equal({ vim.bo.buftype, vim.fs.basename(vim.api.nvim_buf_get_name(0)) }, { 'help', 'proflens.txt' })
    t.contains(vim.api.nvim_get_current_line(), '*' .. tag .. '*')
    vim.cmd.helpclose()
  end
end)

t.test('its tags are those that Neovim makes', function()
  local doc = vim.fs.dirname(vim.api.nvim_get_runtime_file('doc/proflens.txt', false)[1])
  vim.fn.mkdir('copy/doc', 'p')
  vim.fn.writefile(vim.fn.readfile(doc .. '/proflens.txt'), 'copy/doc/proflens.txt')
  vim.cmd.helptags('copy/doc')
  t.equal(vim.fn.readfile(doc .. '/tags'), vim.fn.readfile('copy/doc/tags'))
end)
