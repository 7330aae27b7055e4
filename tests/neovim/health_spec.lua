-- `:checkhealth proflens` finds what is right, and what is not.
local t = ...

local function health()
  vim.cmd('silent checkhealth proflens')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd('bwipeout!')
  return text
end

local options = vim.g.proflens

t.test('all is well', function()
  t.loaded()
  local text = health()
  t.contains(text, 'OK vim.g.proflens is sound')
  t.contains(text, ('OK found: %s (by vim.g.proflens.cmd)'):format(vim.fn.exepath(vim.env.PROFLENS)))
  t.contains(text, 'OK version: proflens ')
  t.contains(text, 'OK attached to 1 buffer(s) of ' .. vim.uv.cwd())
  t.contains(text, 'OK loaded: primes.cpuprofile · 784 samples · ')
  t.contains(text, 'hints: shown')
  t.contains(text, 'lenses: shown')
  t.contains(text, "heat: cannot be seen: it colours line numbers, and 'number' is off")
  t.contains(text, 'OK call hierarchy: vim.lsp.buf.incoming_calls()')
  assert(not text:find('ERROR') and not text:find('WARNING'), text)
end)

t.test('options that do not exist', function()
  local wrong = { threshold = 1, hints = 'yes', picker = 'telescope', heat = { gutter = true } }
  vim.g.proflens = vim.tbl_extend('force', options, wrong)
  local text = health()
  t.contains(text, 'WARNING vim.g.proflens.threshold is not an option')
  t.contains(text, 'WARNING vim.g.proflens.hints is a string; it must be a boolean')
  t.contains(text, "WARNING vim.g.proflens.picker must be 'quickfix' or 'select'")
  t.contains(text, 'WARNING vim.g.proflens.heat.gutter is not an option: there are `number` and `signs`')
  vim.g.proflens = options
end)

t.test('options as a function', function()
  vim.g.proflens = function()
    return { cmd = vim.env.PROFLENS, hints = false }
  end
  t.contains(health(), 'hints: not shown, as vim.g.proflens.hints says')
  vim.g.proflens = options
end)

t.test('line numbers', function()
  vim.go.number = true
  t.contains(health(), 'OK heat: line numbers have the colours of shares')
  vim.go.number = false
end)

t.test('no trace', function()
  vim.cmd('Proflens unload primes.cpuprofile')
  t.becomes(function()
    return t.drawn('hint')
  end, {})
  t.contains(health(), 'WARNING no trace is loaded')
end)

t.test('no server', function()
  vim.g.proflens = { cmd = '/nowhere/proflens' }
  t.contains(health(), 'ERROR vim.g.proflens.cmd names /nowhere/proflens, which cannot be run')
  vim.g.proflens = options
end)
