-- What part of the recording is looked at: a function and what is below it, a window of time, and all of it again.
local t = ...

local function hints()
  return vim.tbl_map(function(hint)
    return hint[1] .. ' ' .. hint[3]
  end, t.drawn('inlayhint'))
end

local function status()
  return require('proflens').status()
end

local whole

t.test('the function under the cursor is focused on', function()
  t.loaded()
  whole = hints()
  vim.api.nvim_win_set_cursor(0, { 6, 10 })
  vim.cmd('Proflens focus callers')
  t.becomes(hints, { '6 570ms self · 570ms total', '15 570ms total' })
  t.becomes(status, 'primes.cpuprofile · callers of isPrime · 558 samples · 100 %% placed')
end)

t.test('a window narrows it further', function()
  vim.cmd('Proflens window 0 300ms')
  t.becomes(function()
    return status():match('· (.-) · %d+ samples')
  end, '0 ms to 300 ms, callers of isPrime')
end)

t.test('all of it comes back', function()
  vim.cmd('Proflens all')
  t.becomes(hints, whole)
end)

t.test('what there is not is a sentence', function()
  local function said(command)
    return t.said(function()
      vim.cmd(command)
    end)
  end
  t.contains(said('Proflens window checkout'), 'has no markers')
  t.contains(said('Proflens window'), 'primes.cpuprofile has no markers; `:Proflens window {from} {to}` takes two moments.')
  t.contains(said('Proflens focus sideways'), 'focus is below, callers, drop, merge, collapse, not sideways.')
  t.equal(hints(), whole)
end)
