-- What part of the recording is looked at: a function and what is below it, a window of time, and all of it again.
local t = ...

local function hints()
  return vim.tbl_map(function(hint)
    return hint[1] .. ' ' .. hint[3]
  end, t.drawn('hint'))
end

local function status()
  return require('proflens').status()
end

local function said(command)
  return t.said(function()
    vim.cmd(command)
  end)
end

local whole

t.test('the function under the cursor is focused on', function()
  t.loaded()
  whole = hints()
  vim.api.nvim_win_set_cursor(0, { 6, 10 })
  t.contains(said('Proflens focus callers'), 'proflens: only this part of the recording is shown: callers of isPrime.')
  t.becomes(hints, { '6 570ms · 570ms', '15 570ms total' })
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

t.test('from a moment to the end', function()
  vim.cmd('Proflens window 300ms')
  t.becomes(function()
    return status():match('· (.-) · %d+ samples')
  end, '300 ms to the end')
  vim.cmd('Proflens all')
  t.becomes(hints, whole)
end)

t.test('a row of a tree is looked at alone', function()
  vim.cmd.edit('main.js')
  t.loaded()
  vim.api.nvim_win_set_cursor(0, { 5, 15 })
  vim.cmd('Proflens callees')
  -- The tree may be redrawn between finding the row and pressing the key, which then is on another one.
  t.eventually('only what is below genPrimes', function()
    if status():match('· (.-) · %d+ samples') == 'below handleClick › genPrimes' then
      return true
    end
    if vim.bo.filetype == 'proflens' and vim.fn.search('▸.*genPrimes', 'w') > 0 then
      t.press('f')
      vim.wait(2000, function()
        return status():match('below') ~= nil
      end)
    end
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  t.contains(
    t.said(function()
      t.press('f')
    end),
    'there is no function on this line to look at'
  )
  t.press('q')
  vim.cmd.edit('generate.js')
  t.becomes(hints, whole)
  vim.cmd('Proflens all')
  t.becomes(status, 'primes.cpuprofile · 784 samples · 89 %% placed')
end)

t.test('what there is not is a sentence', function()
  t.contains(said('Proflens window checkout'), 'has no markers')
  t.contains(said('Proflens window'), 'primes.cpuprofile has no markers; `:Proflens window {from} {to}` takes two moments.')
  t.contains(said('Proflens focus sideways'), 'focus is below, callers, drop, merge, collapse, not sideways.')
  t.equal(hints(), whole)
end)
