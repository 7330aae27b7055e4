-- What stands beside the text but hints and lenses: the heat of functions, and what each line cost.
local t = ...

local function heat()
  return t.marks('proflens.heat', function(details)
    return details.number_hl_group or '-'
  end)
end

local function lines()
  return t.marks('proflens.lines', function(details)
    return details.virt_text[1][1] .. details.virt_text[1][2]
  end)
end

---The costs of generate.js in primes.cpuprofile, with this many lines above.
local function costs(above)
  local rows = {
    { 7, '~76.6  ms  12    % ProflensHeat4' },
    { 8, '492    ms  75    % ProflensHeat5' },
    { 12, ' ~1.37 ms   0.21 % ProflensHeat1' },
    { 17, ' ~2.96 ms   0.45 % ProflensHeat1' },
    { 18, ' ~7.39 ms   1.1  % ProflensHeat2' },
  }
  return vim.tbl_map(function(row)
    return ('%d %s'):format(row[1] + above, row[2])
  end, rows)
end

local HEAT = { '6 ProflensHeat5', '15 ProflensHeat2' }

local function toggle_lines()
  return t.said(function()
    vim.cmd('Proflens lines')
  end)
end

---The colour of a group, as `#rrggbb`.
local function colour(group)
  return ('#%06x'):format(vim.api.nvim_get_hl(0, { name = group }).fg)
end

t.test('the line number of a measured function has the colour of its share', function()
  t.loaded()
  t.becomes(heat, HEAT)
end)

t.test('it moves no text', function()
  vim.o.number = true
  local column = vim.fn.screenpos(0, 6, 1).col
  local options = vim.g.proflens
  vim.g.proflens = vim.tbl_extend('force', options, { heat = { number = false } })
  vim.cmd('Proflens unit time')
  t.becomes(heat, {})
  t.equal(vim.fn.screenpos(0, 6, 1).col, column)
  vim.g.proflens = options
  vim.cmd('Proflens unit time')
  t.becomes(heat, HEAT)
  vim.o.number = false
end)

t.test('signs, for those who want them', function()
  local options = vim.g.proflens
  vim.g.proflens = vim.tbl_extend('force', options, { heat = { number = false, signs = true } })
  vim.cmd('Proflens unit time')
  t.becomes(function()
    return t.marks('proflens.heat', function(details)
      return vim.trim(details.sign_text or '') .. ' ' .. (details.sign_hl_group or '')
    end)
  end, { '6 ▎ ProflensHeat5', '15 ▎ ProflensHeat2' })
  vim.g.proflens = options
  vim.cmd('Proflens unit time')
  t.becomes(heat, HEAT)
end)

t.test('the colours fit the background, and those of the user stay', function()
  t.equal(colour('ProflensHeat5'), '#ff5f5f')
  vim.o.background = 'light'
  t.equal(colour('ProflensHeat5'), '#c00000')
  vim.o.background = 'dark'
  t.equal(colour('ProflensHeat5'), '#ff5f5f')
  vim.api.nvim_set_hl(0, 'ProflensHeat5', { fg = '#123456' })
  vim.api.nvim_exec_autocmds('ColorScheme', {})
  t.equal(colour('ProflensHeat5'), '#123456')
  vim.api.nvim_set_hl(0, 'ProflensHeat5', {})
  vim.api.nvim_exec_autocmds('ColorScheme', {})
  t.equal(colour('ProflensHeat5'), '#ff5f5f')
end)

t.test('lines have their costs when asked for', function()
  t.equal(lines(), {})
  t.equal(toggle_lines(), 'proflens: all self time of this file is on lines.')
  t.becomes(lines, costs(0))
end)

t.test('both follow edits', function()
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '// one', '// two' })
  t.equal(lines(), costs(2))
  vim.api.nvim_exec_autocmds('TextChanged', { buffer = 0 })
  vim.wait(400)
  t.becomes(lines, costs(2))
  t.becomes(heat, { '8 ProflensHeat5', '17 ProflensHeat2' })
end)

t.test('lines of an edited function have none', function()
  local row = vim.fn.search('n % i', 'w')
  vim.api.nvim_buf_set_lines(0, row - 1, row, false, { '    if (n % i === 0 && n > 2) {' })
  vim.api.nvim_exec_autocmds('TextChanged', { buffer = 0 })
  t.becomes(lines, { '19 ~2.96 ms  0.45 % ProflensHeat1', '20 ~7.39 ms  1.1  % ProflensHeat2' })
  vim.cmd('Proflens lines')
  t.becomes(lines, {})
  t.equal(
    toggle_lines(),
    'proflens: 1.8 % of the self time of this file is on lines; of the rest the trace does not say on which, or its '
      .. 'function was edited.'
  )
  vim.cmd('silent undo 0')
  vim.api.nvim_exec_autocmds('TextChanged', { buffer = 0 })
  t.becomes(lines, costs(0))
end)

t.test('toggle hides them with all other costs', function()
  vim.cmd('Proflens toggle')
  t.becomes(lines, {})
  t.becomes(heat, {})
  vim.cmd('Proflens lines')
  t.contains(toggle_lines(), 'costs are hidden; `:Proflens toggle` shows them again')
  vim.cmd('Proflens toggle')
  t.becomes(lines, costs(0))
  t.becomes(heat, HEAT)
end)

t.test('another file has its own', function()
  vim.cmd.edit('main.js')
  t.becomes(function()
    return #lines()
  end, 2)
  vim.cmd.buffer('generate.js')
end)

t.test('a trace without lines', function()
  vim.cmd('Proflens load recordings/self-profiling.json')
  t.becomes(lines, {})
  vim.cmd('Proflens lines')
  t.contains(toggle_lines(), 'self-profiling.json does not say on which lines its self time is; a `.cpuprofile`')
end)

t.test('a file without a measured function', function()
  vim.fn.writefile({ 'export const one = 1;' }, 'other.js')
  vim.cmd.edit('other.js')
  t.client()
  vim.cmd('Proflens lines')
  t.contains(toggle_lines(), 'no function of this file was measured')
  vim.cmd.buffer('generate.js')
end)

t.test('a buffer that holds no code', function()
  vim.cmd.new()
  vim.cmd('Proflens lines')
  t.contains(toggle_lines(), 'this buffer is none of Proflens')
  vim.cmd.close()
end)

t.test('no trace', function()
  vim.cmd('Proflens unload')
  t.becomes(heat, {})
  vim.cmd('Proflens unload primes.cpuprofile')
  vim.cmd('Proflens lines')
  t.contains(toggle_lines(), 'no trace is loaded')
end)
