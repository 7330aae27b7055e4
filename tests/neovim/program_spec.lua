-- Which program is started: the order of the places, and what is said of each.
local t = ...

local options = vim.g.proflens
local program = assert(vim.env.PROFLENS)
local here = assert(vim.uv.cwd())
local path = vim.env.PATH

---A program at a path: a link to the server, as package managers make them.
local function install(file)
  vim.fn.mkdir(vim.fs.dirname(file), 'p')
  assert(vim.uv.fs_symlink(program, file))
  return file
end

local function without_cmd()
  local rest = vim.deepcopy(options)
  rest.cmd = nil
  vim.g.proflens = rest
end

local function found()
  local command, problem, origin = require('proflens.program').command()
  return command and { command[1], origin } or problem
end

---To the file that the other tests are about.
local function back()
  t.client() -- else its server would be started while the next test restarts it
  vim.cmd.edit('generate.js')
end

---Without folders of the machine in which a Proflens happens to be.
local function path_without_program()
  local kept = vim.tbl_filter(function(folder)
    return vim.fn.executable(vim.fs.joinpath(folder, 'proflens')) == 0
  end, vim.split(path, ':'))
  return table.concat(kept, ':')
end

t.test('what the user set comes first', function()
  t.loaded()
  t.equal(found(), { program, 'vim.g.proflens.cmd' })
end)

t.test('without any, a sentence says how to get one', function()
  without_cmd()
  vim.env.PATH = path_without_program()
  t.contains(found(), 'the server was not found: `npm install -g proflens`')
  vim.cmd('silent checkhealth proflens')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd('bwipeout!')
  t.contains(text, 'ERROR the server was not found')
  t.contains(text, 'npm install --save-dev proflens')
end)

t.test('the PATH', function()
  local folder = vim.fs.dirname(install(here .. '/tools/proflens'))
  vim.env.PATH = folder .. ':' .. vim.env.PATH
  t.equal(found(), { 'proflens', 'the PATH' })
end)

t.test("mason's comes before the PATH", function()
  local file = install(vim.fn.stdpath('data') .. '/mason/bin/proflens')
  t.equal(found(), { vim.fs.normalize(file), 'mason' })
end)

t.test("the project's comes before both, and the nearest before the repository's", function()
  vim.fn.mkdir(here .. '/.git', 'p')
  local outer = install(here .. '/node_modules/.bin/proflens')
  t.equal(found(), { outer, "the project's node_modules" })
  local inner = install(here .. '/packages/web/node_modules/.bin/proflens')
  t.equal(found()[1], outer)
  vim.fn.writefile({ 'function page() {}' }, here .. '/packages/web/page.js')
  vim.cmd.edit('packages/web/page.js')
  t.equal(found()[1], inner)
  back()
  -- The server of both files is started again with the program of either.
  vim.fn.delete(inner)
end)

t.test('a folder above the project does not count', function()
  local project = here .. '/other'
  vim.fn.mkdir(project .. '/.git', 'p')
  vim.fn.writefile({ 'function alone() {}' }, project .. '/alone.js')
  vim.cmd.edit('other/alone.js')
  t.equal(found()[2], 'mason')
  back()
end)

t.test('the one that is found is run, and checkhealth says which', function()
  vim.cmd('Proflens restart')
  t.becomes(function()
    local children = vim.fn.systemlist({ 'ps', '-o', 'args=', '--ppid', tostring(vim.fn.getpid()) })
    return vim.list_contains(children, here .. '/node_modules/.bin/proflens lsp')
  end, true)
  t.loaded()
  vim.cmd('silent checkhealth proflens')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd('bwipeout!')
  t.contains(text, ('OK found: %s/node_modules/.bin/proflens (by the project\'s node_modules)'):format(here))
  vim.env.PATH = path
  vim.g.proflens = options
end)

if vim.lsp.enable then -- Neovim 0.11
  t.test('what vim.lsp.config() sets is run before all others', function()
    local own = install(here .. '/own/proflens')
    vim.lsp.config('proflens', { cmd = { own, 'lsp' } })
    t.equal(found(), { own, "vim.lsp.config('proflens')" })
    vim.cmd('Proflens restart')
    t.becomes(function()
      local children = vim.fn.systemlist({ 'ps', '-o', 'args=', '--ppid', tostring(vim.fn.getpid()) })
      return vim.list_contains(children, own .. ' lsp')
    end, true)
    t.loaded()
    vim.lsp.config('proflens', { cmd = { here .. '/none', 'lsp' } })
    t.equal(found(), ("vim.lsp.config('proflens') names %s/none, which cannot be run."):format(here))
    vim.lsp.config('proflens', { cmd = require('proflens.server').config().cmd })
    t.equal(found()[2], 'vim.g.proflens.cmd')
  end)
end
