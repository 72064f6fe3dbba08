-- Takes a lock that is free or set aside for the calling instance; else tells how long it is taken, and puts the
-- instance into the queue if it waits.
--
-- KEYS  lock, last token, queue, deadlines; all with the entity's hash tag
-- ARGV  instance (its channel), handle, lease in ms, highest token the instance has seen,
--       how long its place in the queue counts in ms (0 if it does not wait), life of the last token in ms
-- Reply {1, token} if the handle holds the lock, else {0, ms until the lease ends or -1}
--
-- State
--  lock       string 'instance handle token', with the lease as TTL. The handle '-' sets the lock aside for an
--             instance that waits: nobody holds it, and nobody else may take it while the short TTL lasts.
--             Readers ignore further words.
--  last token string, outlives every lease
--  queue      sorted set of the instances that wait, by arrival; deadlines: hash of instance to the microsecond until
--             which it counts as waiting. Both live as long as the youngest entry.
--
-- Invariants
--  * At most one handle holds the lock: it is written only if it is absent, or set aside for this instance.
--  * Asking again with the same handle gives the same token, so a command whose reply was lost can be repeated.
--  * Tokens rise strictly: above the last one, above every one this instance has seen, never below the time, so also
--    after the server has lost its data.
--  * An instance keeps its place when it asks again, and has left the queue once it holds.
-- If the first write is refused, nothing stands and the call fails; if a later one is, only the last token has risen,
-- or an instance without a deadline stands in the queue, which counts as gone.

local lock, counter, queue, deadlines = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local instance, handle, lease = ARGV[1], ARGV[2], ARGV[3]
local seen, waits, memory = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]

local mine = instance .. ' ' .. handle .. ' '
local held = redis.call('GET', lock)
if held and string.sub(held, 1, #mine) == mine then
  redis.call('PEXPIRE', lock, lease)
  return {1, string.match(held, '^%d+', #mine + 1)}
end

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

if not held or (waits > 0 and held == instance .. ' -') then
  local last = tonumber(redis.call('GET', counter) or 0)
  local token = string.format('%.0f', math.max(last + 1, seen + 1, now))
  redis.call('SET', counter, token, 'PX', memory)
  redis.call('SET', lock, mine .. token, 'PX', lease)
  if waits > 0 and redis.call('ZREM', queue, instance) == 1 then
    redis.call('HDEL', deadlines, instance)
  end
  return {1, token}
end

if waits > 0 then
  redis.call('ZADD', queue, 'NX', string.format('%.0f', now), instance)
  redis.call('HSET', deadlines, instance, string.format('%.0f', now + waits * 1000))
  redis.call('PEXPIRE', queue, waits)
  redis.call('PEXPIRE', deadlines, waits)
end
return {0, redis.call('PTTL', lock)}
