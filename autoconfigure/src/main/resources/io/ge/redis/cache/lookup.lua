-- Answers a reader: the value, or leave to load it, or to wait for another loader, or to go past the cache.
--
-- KEYS  entry, writers, waiters; all with the hash tag of the entry
-- ARGV  token of the reader, lease in milliseconds, how to wake the reader ("channel message"),
--       first bytes of a value that the reader can read, 1 to replace whatever value there is
-- Reply {'hit', value} | {'lease', 1 if an unreadable value was replaced else 0} | {'wait', milliseconds} | {'bypass'}
--
-- States of an entry: absent; 'L' and the token of the one reader that may fill it; a value, which never begins with
-- 'L'. A value stands only while no writer is between its intent and its publication.
--
-- Invariants
--  * At most one reader holds the lease. A repetition with the same token gets the same lease.
--  * No lease is given while a writer is pending: the reader could load a row that is about to change.
--  * Writes nothing for a hit. The lease and the list of waiters have a TTL.
-- If the lease cannot be written for lack of memory the call fails and leaves nothing; if the waiter cannot be listed
-- it is not woken and asks again when its own time is up.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local entry, writers, waiters = KEYS[1], KEYS[2], KEYS[3]
local token, lease, waker, readable, replace = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]

local unreadable = 0
local found = redis.call('GET', entry)
if found and string.sub(found, 1, 1) == 'L' then
  if string.sub(found, 2) == token then
    return {'lease', 0}
  end
  local left = math.max(1, redis.call('PTTL', entry))
  redis.pcall('SADD', waiters, waker)
  redis.pcall('PEXPIRE', waiters, left)
  return {'wait', left}
end
if found then
  if replace ~= '1' and string.sub(found, 1, #readable) == readable then
    return {'hit', found}
  end
  unreadable = 1
end

local fields = redis.call('HGETALL', writers)
for i = 1, #fields, 2 do
  if string.sub(fields[i], 1, 2) == 't:' then
    local deadline = tonumber(string.match(fields[i + 1], '^%d+ (%d+)'))
    if deadline > now then
      return {'bypass'}
    end
  end
end

redis.call('SET', entry, 'L' .. token, 'PX', lease)
return {'lease', unreadable}
