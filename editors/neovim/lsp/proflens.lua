-- The server, for `vim.lsp.enable('proflens')` and `vim.lsp.config('proflens', …)` of Neovim 0.11 and newer.
return require('proflens.server').config()
