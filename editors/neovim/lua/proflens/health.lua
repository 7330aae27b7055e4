-- `:checkhealth proflens`: checks everything from the server's program to the hints on the screen, in that order.
local client = require('proflens.client')
local config = require('proflens.config')
local ledger = require('proflens.ledger')
local protocol = require('proflens.protocol')

local M = {}

local health = vim.health

local function check_neovim()
  health.start('Neovim')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok(('%s: the server is started by vim.lsp.enable'):format(tostring(vim.version())))
  elseif vim.fn.has('nvim-0.10') == 1 then
    health.ok(('%s: the server is started by vim.lsp.start'):format(tostring(vim.version())))
  else
    health.error('Neovim 0.10 or newer is needed.')
  end
  local problems = config.problems()
  for _, problem in ipairs(problems) do
    health.warn(problem)
  end
  if #problems == 0 then
    health.ok(vim.g.proflens == nil and 'vim.g.proflens is not set: defaults hold' or 'vim.g.proflens is sound')
  end
end

---@return boolean
local function check_server()
  health.start('Server')
  local command, problem, origin = require('proflens.program').command()
  if not command then
    health.error(problem or 'the server was not found', {
      'Install it: npm install -g proflens, or in the project: npm install --save-dev proflens',
      "Or name it: vim.g.proflens = { cmd = '/path/to/proflens' }",
    })
    return false
  end
  health.ok(('found: %s (by %s)'):format(vim.fn.exepath(command[1]), origin))
  local call = vim.list_extend(vim.deepcopy(command), { '--version' })
  local called, answer = pcall(function()
    return vim.system(call, { text = true }):wait(5000)
  end)
  if called and answer.code == 0 then
    health.ok('version: ' .. vim.trim(answer.stdout))
    return true
  end
  health.error(
    ('`%s` does not run: %s'):format(
      table.concat(call, ' '),
      called and vim.trim(answer.stderr or '') or tostring(answer)
    )
  )
  return false
end

---@return vim.lsp.Client?
local function check_client()
  health.start('Client')
  local clients = vim.lsp.get_clients({ name = client.name })
  if #clients == 0 then
    health.warn('no server runs', {
      'Open a JavaScript or TypeScript file.',
      config.get().autostart and 'If one is open, see :Proflens log and :checkhealth vim.lsp.'
        or "vim.g.proflens.autostart is false: call vim.lsp.enable('proflens').",
    })
    return nil
  end
  for _, running in ipairs(clients) do
    health.ok(
      ('attached to %d buffer(s) of %s (client %d, positions in %s)'):format(
        vim.tbl_count(running.attached_buffers),
        running.config.root_dir or 'no folder',
        running.id,
        running.offset_encoding
      )
    )
  end
  return clients[1]
end

---@param running vim.lsp.Client
local function check_trace(running)
  health.start('Trace')
  local status, problem = client.request_sync(running, protocol.STATUS, vim.empty_dict(), 0, 5000)
  if not status then
    health.error('proflens/status: ' .. (problem or 'no answer'))
    return
  end
  if ledger.shown(status) then
    health.ok('loaded: ' .. ledger.summary(status))
    local placed = type(status.ledger) == 'table' and status.ledger.placed
    if placed and placed.part < 0.5 then
      health.warn(('only %s of the time stands at functions of this workspace'):format(placed.text), {
        'See :Proflens ledger for the reasons.',
      })
    end
  else
    health.warn('no trace is loaded', {
      'Record one: node --cpu-prof app.js',
      'Then load it: :Proflens load {file}, or put it into the workspace folder.',
    })
  end
  for _, each in ipairs(ledger.problems(status)) do
    health.warn(each)
  end
end

---@param heat { number: boolean, signs: boolean }
local function check_heat(heat)
  if not heat.number and not heat.signs then
    health.info('heat: not shown, as vim.g.proflens.heat says')
  elseif heat.signs then
    health.ok('heat: signs' .. (heat.number and ' and line numbers have the colours of shares' or ''))
  elseif vim.go.number or vim.go.relativenumber then
    health.ok('heat: line numbers have the colours of shares')
  else
    health.info("heat: cannot be seen: it colours line numbers, and 'number' is off")
  end
end

---@param running vim.lsp.Client
local function check_display(running)
  health.start('Display')
  local options = config.get()
  health.info('hints: ' .. (options.hints and 'shown' or 'not shown, as vim.g.proflens.hints says'))
  health.info('lenses: ' .. (options.lens and 'shown' or 'not shown, as vim.g.proflens.lens says'))
  check_heat(options.heat)
  if not running.server_capabilities.callHierarchyProvider then
    health.info('call hierarchy: not offered, as the setting callHierarchy.enable says; `:Proflens callers` works without')
  else
    health.ok('call hierarchy: vim.lsp.buf.incoming_calls() and outgoing_calls() list what was measured')
  end
end

function M.check()
  check_neovim()
  if check_server() then
    local running = check_client()
    if running then
      check_trace(running)
      check_display(running)
    end
  end
end

return M
