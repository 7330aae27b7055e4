-- `:Proflens record` with real programs, and `:Proflens previous`.
local t = ...

local record = require('proflens.record')

local PROGRAM = [[
function burn(turns) {
  let sum = 0;
  for (let turn = 0; turn < turns; turn += 1) sum += Math.sqrt(sum + 1);
  return sum;
}
const kept = [];
burn(3e7);
if (process.argv[2]) setInterval(() => kept.push(new Array(burn(3e6) & 0xffff).fill(0.5)), 100);
console.log('burning');
]]

vim.o.showmode = false

local function write(file, text)
  vim.fn.mkdir(vim.fs.dirname(file), 'p')
  vim.fn.writefile(vim.split(text, '\n'), file)
end

local function complete(line)
  return vim.fn.getcompletion('Proflens record ' .. line, 'cmdline')
end

---The recordings that are there.
local function recordings()
  return vim.fn.globpath('.proflens/recordings', '*', false, true)
end

---What is shown, without its time and its numbers. Two of one second differ by a number.
local function shown()
  return (require('proflens').status():gsub(' ·.*', ''):gsub('^[%d-]+T[%d-]+%d%-', ''):gsub('%-%d%.json', '.json'))
end

---Run a command of this plugin, wait until there is one recording more and its trace is shown, and leave its terminal.
local function records(command, name)
  local before = recordings()
  vim.cmd('Proflens record ' .. command)
  t.equal(vim.bo.buftype, 'terminal')
  local new = t.eventually('a recording', function()
    return vim.tbl_filter(function(it)
      return not vim.list_contains(before, it)
    end, recordings())[1]
  end)
  t.becomes(function()
    return vim.startswith(require('proflens').status(), vim.fs.basename(new)) and shown()
  end, name)
end

local function leave()
  t.becomes(function()
    return vim.list_contains(complete('st'), 'stop')
  end, false)
  t.becomes(function()
    return vim.api.nvim_get_mode().mode
  end, 'nt')
  t.press('q')
  t.equal(vim.bo.buftype, '')
end

t.test('a command line is split as a shell does, or left to one', function()
  local lines = {
    ['node app.js'] = { 'node', 'app.js' },
    ['  npm  run build '] = { 'npm', 'run', 'build' },
    [ [[node 'a b.js' "it's" --x="y z"]] ] = { 'node', 'a b.js', "it's", '--x=y z' },
    ["node ''"] = { 'node', '' },
  }
  for line, words in pairs(lines) do
    t.equal({ line, record.words(line) }, { line, words })
  end
  local of_shells = { '', 'node a.js | cat', 'A=1 node a.js', 'node $X', 'node "$X"', 'node *.js', "node 'a", 'a\\ b' }
  for _, line in ipairs(of_shells) do
    t.equal({ line, record.words(line) }, { line, nil })
  end
end)

t.test('options stand before the command', function()
  t.equal(record.arguments('node a.js'), { '--', 'node', 'a.js' })
  t.equal(record.arguments('node %'), { '--', 'node', 'generate.js' })
  t.equal(record.arguments('node a.js | cat'), { '--', '/bin/sh', '-c', 'node a.js | cat' })
  t.equal(record.arguments('--heap --only "a b" -- node a.js'), { '--heap', '--only', 'a b', '--', 'node', 'a.js' })
  t.equal(record.arguments('--attach localhost:9229'), { '--attach', 'localhost:9229' })
end)

t.test('scripts and files are completed', function()
  write('package.json', vim.json.encode({ scripts = { burn = 'node burn.js', build = 'tsc' } }))
  write('burn.js', PROGRAM)
  t.equal(complete(''), { 'npm run build', 'npm run burn', 'node', 'npx' })
  t.equal(complete('np'), { 'npm run build', 'npm run burn', 'npx' })
  t.equal(complete('npm run bur'), { 'burn' })
  t.equal(complete('--heap -- npm run '), { 'build', 'burn' })
  t.equal(complete('node bu'), { 'burn.js' })
  write('package.json', '{ "scripts": ')
  t.equal(complete(''), { 'node', 'npx' })
  vim.fn.delete('package.json')
end)

t.test('a command is recorded, and what it cost is shown', function()
  vim.cmd.edit('burn.js')
  t.client()
  records('node %', 'burn.js.json.gz')
  leave()
  t.equal(vim.fn.bufname(), 'burn.js')
  t.eventually('its cost', function()
    local hints = vim.tbl_map(function(hint)
      return ('%d: %s'):format(hint[1], hint[3])
    end, t.drawn('hint'))
    return table.concat(hints, '\n'):find('1: [%d.]+m?s · ')
  end)
end)

t.test('a program without an end is stopped, and its recording is kept', function()
  local before = #recordings()
  vim.cmd('Proflens record node burn.js forever')
  vim.wait(2000)
  t.equal(#recordings(), before)
  t.equal(vim.tbl_contains(complete('st'), 'stop'), true)
  vim.cmd('Proflens record stop')
  t.becomes(function()
    return #recordings()
  end, before + 1)
  leave()
  t.contains(
    t.said(function()
      vim.cmd('Proflens record stop')
    end),
    'nothing is being recorded'
  )
end)

t.test('CTRL-C in the terminal stops it, too', function()
  vim.cmd('Proflens record --heap -- node burn.js forever')
  t.eventually('what it says when it runs', function()
    return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find('burning', 1, true)
  end)
  vim.wait(500)
  vim.api.nvim_chan_send(vim.bo.channel, '\3')
  t.becomes(shown, 'burn.js.heapprofile')
  leave()
end)

t.test('the trace before is shown, and then the present one again', function()
  vim.cmd('Proflens previous')
  t.becomes(shown, 'burn.js.json.gz')
  vim.cmd('Proflens previous')
  t.becomes(shown, 'burn.js.heapprofile')
end)

t.test('a recording of limited time is shown while its command runs on', function()
  records('--duration 3s -- node burn.js forever', 'burn.js.json.gz')
  local terminal = vim.api.nvim_get_current_buf()
  t.equal(vim.fn.jobwait({ vim.bo.channel }, 0), { -1 })
  vim.cmd('Proflens record stop')
  leave()
  vim.cmd.bwipeout({ terminal, bang = true })
end)

t.test('a recording is shown also where traces are not loaded by themselves', function()
  local client = t.client()
  client.settings = { proflens = { autoLoad = false } }
  local params = { settings = client.settings }
  local changed = 'workspace/didChangeConfiguration'
  if vim.fn.has('nvim-0.11') == 1 then
    client:notify(changed, params)
  else
    client.notify(changed, params)
  end
  vim.cmd('Proflens select primes.cpuprofile')
  t.becomes(shown, 'primes.cpuprofile')
  records('node burn.js | cat', 'burn.js.json.gz')
  leave()
end)

t.test('of a command that cannot be started nothing is shown', function()
  local before = require('proflens').status()
  t.contains(
    t.said(function()
      vim.cmd('Proflens record no-such-program')
    end),
    'nothing was recorded of `no-such-program`; its terminal says why.'
  )
  t.contains(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'), 'no-such-program cannot be started')
  leave()
  t.equal(require('proflens').status(), before)
end)

t.test('without a command it asks', function()
  t.answering('', function()
    vim.cmd('Proflens record')
  end)
  t.equal(vim.bo.buftype, '')
end)
