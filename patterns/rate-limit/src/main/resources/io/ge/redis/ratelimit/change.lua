-- Writes or removes one live change of a limit, and notifies all instances.
--
-- KEYS  the hash of all live changes
-- ARGV  channel of all instances, TTL of the hash in milliseconds, most fields that it may hold, field,
--       value (a block or a removal: empty), length of a block in microseconds (0: no block), remove 1|0
-- Reply {1 written or removed | 0 nothing to remove | -1 the hash is full}
--
-- Invariants
--  * A block is stored as the server time of its end, so no clock but the server's counts.
--  * Whichever instance hears of a change finds it: the message leaves with the same script. Where it may not be
--    published, the change holds, and is found by instances that hear nothing and therefore read the hash.
--  * The hash always has a TTL. If the write is refused for lack of memory, nothing has changed and no message leaves.
-- Repeating it does no harm; a repeated block lasts from then on.

local hash = KEYS[1]
local channel, ttl, capacity, field = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local value, block, remove = ARGV[5], tonumber(ARGV[6]), ARGV[7] == '1'

if remove then
  if redis.call('HDEL', hash, field) == 0 then
    return {0}
  end
else
  if redis.call('HEXISTS', hash, field) == 0 and redis.call('HLEN', hash) >= capacity then
    return {-1}
  end
  if block > 0 then
    local clock = redis.call('TIME') -- the only reading of time
    value = string.format('%.0f', clock[1] * 1000000 + clock[2] + block)
  end
  redis.call('HSET', hash, field, value)
  redis.call('PEXPIRE', hash, ttl)
end
redis.pcall('PUBLISH', channel, 'ratelimit.changed')
return {1}
