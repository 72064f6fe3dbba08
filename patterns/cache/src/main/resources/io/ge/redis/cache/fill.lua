-- Stores the value that a reader has loaded, if it still holds its lease, or its permit to refresh a value.
--
-- KEYS  entry, writers, waiters, refresh; all with the hash tag of the entry
-- ARGV  token of the reader, length of its lease in milliseconds, value, TTL in milliseconds or 0 for none, age in
--       milliseconds of the transaction in which it loads, taken when it had the lease, or -1 for none, how long in
--       milliseconds the writers of an entry are remembered, invalidation message of the entry ("channel message") or
--       '' if no instance keeps it in memory, what lookup.lua has shown of the writers with an open lease, or '' for a
--       value that may be a change of the database
-- Reply {'filled'} | {'stands'} | {'removed'} | {'lost'} | {'snapshot'}
--
-- Invariants
--  * Only the holder of the lease writes, or the reader that refreshes; so whatever removed the lease (a writer, an
--    eviction, its end) wins.
--  * A reader in a transaction may see the database as it was when the transaction began. It may fill only if no
--    writer was at work at that time or since, as far back as writers are remembered.
--  * Instances that keep the refreshed value in memory are notified.
--  * Waiters are woken, unless the reply is 'lost' or 'stands': then they wait for another reader.
--  * By an open lease, which begins with '~', several readers load, and the first one fills. A later value is dropped
--    if no writer came since its reader asked ('stands'). So is one that is there already: the same in byte 2 to 6, type
--    and flags, and from byte 31 on, after load time, stamp and end.
--  * Any other late value of an open lease may be a change that was not announced: the entry, any lease and all tickets
--    are removed, as in invalidate.lua ('removed'). That is noted as 'b' instead of 'r', so that other late readers,
--    which compare 'n' and 'r', do not take it for a writer and remove the entry in turn.
-- What was to be refreshed stays if it is not replaced. If the value cannot be written for lack of memory the lease is
-- given up, the waiters are woken and the call fails.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local entry, writers, waiters, refresh = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local token, lease, value, ttl = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local age, memory, invalidation, seen = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8]

local function snapshot_is_old(held)
  if age < 0 then
    return false
  end
  if age >= memory then
    return true
  end
  local granted = now - (lease - math.max(0, redis.call('PTTL', held)) + 1) * 1000
  local began = granted - age * 1000
  local fields = redis.call('HGETALL', writers)
  for i = 1, #fields, 2 do
    local time = tonumber(fields[i + 1])
    if string.sub(fields[i], 1, 2) == 't:' then
      time = tonumber(string.match(fields[i + 1], '^%d+ (%d+)'))
    end
    if time >= began then
      return true
    end
  end
  return false
end

local function late()
  if string.sub(token, 1, 1) ~= '~' then
    return 'lost'
  end
  local found = redis.call('GET', entry)
  local same = found and string.sub(found, 1, 6) == string.sub(value, 1, 6) and string.sub(found, 31) == string.sub(value, 31)
  local known = redis.call('HMGET', writers, 'n', 'r')
  if same or seen == (known[1] or '') .. ' ' .. (known[2] or '') then
    return 'stands'
  end
  redis.call('DEL', entry, refresh)
  notify(invalidation)
  local noted = redis.pcall('HSET', writers, 'a', known[1] or '0', 'b', string.format('%.0f', now))
  if type(noted) == 'table' and noted.err then
    redis.call('DEL', writers)
  else
    redis.call('PEXPIRE', writers, ARGV[6])
  end
  wake(waiters)
  return 'removed'
end

local held = entry
if redis.call('GET', entry) ~= 'L' .. token then
  if redis.call('GET', refresh) ~= token then
    return {late()}
  end
  held = refresh
end
local reply = {'filled'}
if snapshot_is_old(held) then
  reply = {'snapshot'}
  redis.call('DEL', held)
else
  if held == refresh then
    redis.call('DEL', refresh)
  end
  local stored = store(entry, value, ttl, now)
  if stored.err then
    if held == entry then
      redis.call('DEL', entry)
    end
    reply = stored
  elseif held == refresh then
    notify(invalidation)
  end
end
wake(waiters)
return reply
