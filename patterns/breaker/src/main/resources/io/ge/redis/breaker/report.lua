-- Takes the sums of one instance, opens or closes the circuit if it is time, and grants a probe if one is wanted.
--
-- KEYS  state, reports; both with the entity's hash tag
-- ARGV  instance, channel of all instances, message for it, life of the state in ms, live instances, failure rate in
--       percent, slow-call rate in percent (0: none), least calls, window in ms, open for ms, at most ms, probes,
--       lease of a probe in ms, calls, failures and slow calls of the last second, the same of the window,
--       whether a probe is wanted 1|0, lease of a probe that has ended (0: none), its result ok|failed|released,
--       version that the instance knows
-- Reply {state C|O|H, version, ms to the probe, lease (0: none), ms of it, why this call changed the state or '',
--       forced state F|D or '', ms of that}
--
-- State
--  state    hash: s state, v version, u time of the next probe, n openings in a row, ok probes that succeeded, t time of
--           the last change, why its reason, f forced state, fu its end, fa its author, fr its
--           reason, 'p <instance>' end of a lease
--  reports  hash: instance to 'time calls failures slow calls failures slow'
--
-- Invariants
--  * The circuit opens only if more than half of the electorate vote for it, and two if two are live.
--  * Sums of calls before the present state do not count, so stale reports cannot open a circuit that has closed.
--  * Reports are sums: a repeated one has the same effect.
--  * Leases and probes that succeeded are never more than the configured probes; a lease ends by itself.
--  * Versions rise strictly, also after the server has lost its data, since they are not below the time.
--  * Both keys always have a TTL. If a write is refused, the earlier ones stand and the next report completes them.

local state, reports = KEYS[1], KEYS[2]
local instance, channel, message, life = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local live, rate, slowRate, minimum = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local window, openFor, longest = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local probes, lease = tonumber(ARGV[12]), tonumber(ARGV[13])
local wanted, ended, result = ARGV[20] == '1', ARGV[21], ARGV[22]
local silence, short = 600000, 2000

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local fields, flat = {}, redis.call('HGETALL', state)
for i = 1, #flat, 2 do
  fields[flat[i]] = flat[i + 1]
end
local s, v, u = fields.s or 'C', tonumber(fields.v or 0), tonumber(fields.u or 0)
local n, ok, why = tonumber(fields.n or 0), tonumber(fields.ok or 0), ''
if u > now + longest then
  u = now -- the clock of the server has been set back
end

local function text(number)
  return string.format('%.0f', number)
end

local function endLeases(before)
  for field, value in pairs(fields) do
    if string.sub(field, 1, 2) == 'p ' and tonumber(value) <= before then
      redis.call('HDEL', state, field)
      fields[field] = nil
    end
  end
end

local function change(to, reason)
  s, why, ok, v = to, reason, 0, math.max(v + 1, now)
  endLeases(math.huge)
  redis.call('HSET', state, 's', s, 'v', text(v), 'u', text(u), 'n', n, 'ok', 0, 't', text(now), 'why', why)
  redis.call('PEXPIRE', state, life)
  redis.pcall('PUBLISH', channel, message .. ' ' .. text(v))
end

local function open(reason)
  if s == 'C' and now - tonumber(fields.t or 0) > window then
    n = 0
  end
  u = now + math.min(openFor * 2 ^ n, longest)
  n = math.min(n + 1, 30)
  change('O', reason)
end

-- Returns why more than half of the electorate would open the circuit, or nil
local function majority()
  local since = tonumber(fields.t or 0) -- sums from before it was closed do not count
  local all, stored = {}, redis.call('HGETALL', reports)
  for i = 1, #stored, 2 do
    local sums = {}
    for number in string.gmatch(stored[i + 1], '%d+') do
      sums[#sums + 1] = tonumber(number)
    end
    if now - sums[1] > silence then
      redis.call('HDEL', reports, stored[i])
    else
      all[#all + 1] = sums
    end
  end
  local electorate = math.max(1, math.min(live, #all))
  local least = math.max(3, math.ceil(0.8 * minimum / electorate))
  for _, kind in ipairs({ { 'rate', rate, 1 }, { 'slow', slowRate, 2 } }) do
    for span = 2, 5, 3 do
      local calls, bad, votes = 0, 0, 0
      for _, sums in ipairs(all) do
        if kind[2] > 0 and sums[1] > since and now - sums[1] <= (span == 2 and math.min(short, window) or window) then
          local own = sums[span + kind[3]]
          calls, bad = calls + sums[span], bad + own
          if own >= least and own * 100 >= kind[2] * sums[span] then
            votes = votes + 1
          end
        end
      end
      if votes * 2 > electorate and votes >= math.min(2, live) and calls >= minimum and bad * 100 >= kind[2] * calls then
        return kind[1]
      end
    end
  end
end

local stale = tonumber(ARGV[23]) < v
redis.call('HSET', reports, instance, text(now) .. ' ' .. (stale and '0 0 0 0 0 0' or table.concat(ARGV, ' ', 14, 19)))
redis.call('PEXPIRE', reports, silence)
if s == 'C' and not stale and (tonumber(ARGV[18]) > 2 or tonumber(ARGV[19]) > 2) then
  local reason = majority()
  if reason then
    open(reason)
  end
elseif s == 'O' and wanted and now >= u then
  change('H', 'probe')
end

local own, granted = 'p ' .. instance, 0
if s == 'H' then
  endLeases(now)
  if ended ~= '0' and fields[own] == ended then
    redis.call('HDEL', state, own)
    fields[own] = nil
    if result == 'failed' then
      open('probe')
    elseif result == 'ok' then
      ok = ok + 1
      redis.call('HSET', state, 'ok', ok)
      if ok >= probes then
        change('C', 'probe')
      end
    end
  end
end
if s == 'H' and wanted then
  local taken = ok
  for field in pairs(fields) do
    if string.sub(field, 1, 2) == 'p ' then
      taken = taken + 1
    end
  end
  if not fields[own] and taken < probes then
    fields[own] = text(now + lease)
    redis.call('HSET', state, own, fields[own])
  end
  granted = tonumber(fields[own] or 0)
end

local forced, left = fields.f or '', tonumber(fields.fu or 0) - now
if left <= 0 then
  forced, left = '', 0
end
return { s, v, s == 'O' and math.max(0, u - now) or 0, granted, granted > 0 and granted - now or 0, why, forced, left }
