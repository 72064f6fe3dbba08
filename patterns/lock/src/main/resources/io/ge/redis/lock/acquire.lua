-- Takes a lock that is free, with a range of tokens; else returns how long it is taken, and puts the instance into the queue
-- if it waits.
--
-- KEYS  lock, last token, queue, requests; all with the entity's hash tag
-- ARGV  instance (its channel), handle, lease in ms, highest token the instance has seen,
--       how long its place in the queue counts in ms (0 if it does not wait), life of the last token in ms,
--       how many tokens are wanted
-- Reply {1, first token, last token} if the handle holds the lock, else {0, ms until the lease ends or -1, 1 if none
--       can have it before that and any after it, else 0}; the error FOREIGN if a token is not one of ours
--
-- State
--  lock       string 'instance handle first last', with the lease as TTL; first and last are the tokens of this handle.
--             The instance '=' before them means that none may have it before the TTL has passed.
--  last token string, outlives every lease; the highest token of all ranges
--  queue      sorted set of the instances that wait, by arrival; requests: hash of each of them to 'deadline handle seen',
--             the microsecond until which it counts as waiting, the handle to which a release may grant the lock, and the
--             highest token it has seen. Both live as long as the youngest entry.
--
-- Invariants
--  * At most one handle holds the lock: it is written only if it is absent.
--  * Asking again with the same handle gives the same tokens, so a command whose reply was lost can be repeated. A
--    grant whose message was lost is learnt by asking again.
--  * Tokens rise strictly: above the last one, above every one this instance has seen, never below the time, so also
--    after the server has lost its data. A range does not reach 512 microseconds beyond the present, and without a last
--    token the first one lies behind those, so that no range from before a loss reaches over one from after it.
--  * A token more than a day ahead of the time was written by another program, or by a clock that was wrong. One that is
--    stored is refused before anything is written, so it need not be remembered; one that was seen does not count.
--  * An instance keeps its place when it asks again, and has left the queue once it holds.
-- If the first write is refused, nothing is written and the call fails. If a later one is, only the last token has risen,
-- or the queue has an instance without a request, which counts as gone.

local lock, counter, queue, requests = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local instance, handle, lease = ARGV[1], ARGV[2], ARGV[3]
local seen, waits, memory, wanted = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7])

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local latest = now + 86400000000 -- a day

local function foreign(key)
  return redis.error_reply('FOREIGN ' .. key .. ' holds ' .. string.sub(redis.call('GET', key), 1, 200)
    .. ', with a token that is none or far ahead of the time of the server: delete this key')
end

local mine = instance .. ' ' .. handle .. ' '
local held = redis.call('GET', lock)
if held and string.sub(held, 1, #mine) == mine then
  local first, last = string.match(held, '^(%d+) (%d+)$', #mine + 1)
  if not last or math.max(first, last) > latest then
    return foreign(lock)
  end
  redis.call('PEXPIRE', lock, lease)
  return {1, first, last}
end

if not held then
  local edge = now + 511
  local past = tonumber(redis.call('GET', counter) or edge)
  if not (past and past <= latest) then -- also if it is not a number
    return foreign(counter)
  end
  if seen > latest then
    seen = 0
  end
  local first = math.max(past + 1, seen + 1, now)
  local last = string.format('%.0f', math.max(first, math.min(first + wanted - 1, edge)))
  first = string.format('%.0f', first)
  redis.call('SET', counter, last, 'PX', memory)
  redis.call('SET', lock, mine .. first .. ' ' .. last, 'PX', lease)
  if waits > 0 and redis.call('ZREM', queue, instance) == 1 then
    redis.call('HDEL', requests, instance)
  end
  return {1, first, last}
end

if waits > 0 then
  redis.call('ZADD', queue, 'NX', string.format('%.0f', now), instance)
  redis.call('HSET', requests, instance, string.format('%.0f', now + waits * 1000) .. ' ' .. handle .. ' ' .. ARGV[4])
  redis.call('PEXPIRE', queue, waits)
  redis.call('PEXPIRE', requests, waits)
end
return {0, redis.call('PTTL', lock), string.sub(held, 1, 2) == '= ' and 1 or 0}
