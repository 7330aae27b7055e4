-- A trace of several threads: the main one is shown, the others can be chosen.
local t = ...

---A trace of these threads, each 40 ms in the functions at these lines of generate.js.
local function write(name, threads)
  local file = vim.uri_from_fname(vim.fn.getcwd() .. '/generate.js')
  local frames = {
    { name = 'isPrime', file = file, line = 6, col = 17 },
    { name = 'genPrimes', file = file, line = 15, col = 26 },
  }
  local profiles = vim.tbl_map(function(thread)
    return {
      type = 'sampled',
      name = thread[1],
      unit = 'milliseconds',
      samples = { { thread[2] }, { thread[2] } },
      weights = { 20, 20 },
    }
  end, threads)
  local schema = 'https://www.speedscope.app/file-format-schema.json'
  local trace = { ['$schema'] = schema, shared = { frames = frames }, profiles = profiles }
  vim.fn.writefile({ vim.json.encode(trace) }, name)
end

local function hints()
  return vim.tbl_map(function(hint)
    return hint[1] .. ' ' .. hint[3]
  end, t.drawn('inlayhint'))
end

t.test('the main thread is shown', function()
  t.loaded()
  write('threads.json', { { 'main', 0 }, { 'worker', 1 } })
  vim.cmd('Proflens load threads.json')
  t.becomes(hints, { '6 40ms self · 40ms total' })
  t.becomes(require('proflens').status, 'threads.json · main · 2 samples · 100 %% placed')
end)

t.test('select offers the others', function()
  local asked = t.answering('  worker', function()
    vim.cmd('Proflens select')
  end)
  t.equal(asked, {
    'threads.json (shown)',
    '  main · 40.0 ms active, 2 samples (shown)',
    '  worker · 40.0 ms active, 2 samples',
    'primes.cpuprofile',
  })
  t.becomes(hints, { '15 40ms self · 40ms total' })
  t.becomes(require('proflens').status, 'threads.json · worker · 2 samples · 100 %% placed')
end)

t.test('another trace has no threads to choose from', function()
  vim.cmd('Proflens select primes.cpuprofile')
  t.becomes(function()
    return (t.drawn('inlayhint')[1] or {})[3]
  end, t.expected('hint', 'generate.js')[1][3])
  t.contains(require('proflens').status(), 'primes.cpuprofile · 784 samples · ')
end)
