---@brief
---
--- Proflens shows what each JavaScript and TypeScript function cost, at its definition.
---
--- `npm install -g proflens`, or `npm install --save-dev proflens` in the project.
---
--- This file needs no plugin: copy it to `lsp/proflens.lua` in your configuration, and call
--- `vim.lsp.enable('proflens')` and `vim.lsp.inlay_hint.enable()`. Neovim 0.11 or newer.

---@type vim.lsp.Config
return {
  cmd = function(dispatchers, config)
    local program = 'proflens'
    local root = (config or {}).root_dir
    if root then
      local installed = vim.fs.joinpath(root, 'node_modules', '.bin', program)
      program = vim.fn.executable(installed) == 1 and installed or program
    end
    return vim.lsp.rpc.start({ program, 'lsp' }, dispatchers)
  end,
  filetypes = { 'javascript', 'javascriptreact', 'typescript', 'typescriptreact', 'vue', 'svelte', 'astro', 'html', 'mdx' },
  root_markers = { '.proflens', '.git', { 'package.json', 'deno.json', 'tsconfig.json', 'jsconfig.json' } },
  handlers = {
    -- The trace is often read after the first hints were asked for. Enabling again asks for them again, and draws them.
    ['workspace/inlayHint/refresh'] = function(_, _, context)
      local client = vim.lsp.get_client_by_id(context.client_id)
      for bufnr in pairs(client and client.attached_buffers or {}) do
        if vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }) then
          vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
        end
      end
      return vim.NIL
    end,
  },
  -- All servers of a buffer should count alike, and those of TypeScript count in UTF-16.
  capabilities = { general = { positionEncodings = { 'utf-16' } } },
  -- Servers that are sent edits share what Neovim knows of the text; one that is restarted can spoil that.
  flags = { allow_incremental_sync = false },
  -- What :help proflens-settings lists, for instance { proflens = { unit = 'percent' } }.
  settings = { proflens = vim.empty_dict() },
}
