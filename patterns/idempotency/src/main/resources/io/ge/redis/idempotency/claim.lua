-- Claims a key for one call, or returns what became of the call that claimed it before.
--
-- KEYS  the record; a set of the channels of instances that wait for its end
-- ARGV  owner (unique per call), fingerprint, lease in milliseconds, retention in milliseconds, grace in milliseconds,
--       channel of the instance, for how long it waits in milliseconds, 0 if it does not
-- Reply {1, fence, taken over}        claimed: this owner alone may run, until the lease ends; taken over is 1 if an
--                                     earlier owner never completed, and may have had its effect, else 0
--       {2, kind, record}             completed, with a record to replay of a kind that the caller knows; 'l' without one
--       {3, microseconds}             another owner runs, with so much of its lease or of its grace left
--       {4}                           the key was used with another fingerprint
--       {5}                           the outcome of the first call is unknown
--       the error FOREIGN             the record has a fence that is none or more than a day ahead of the time
--
-- The record is a hash. Which fields it has is its state:
--   f only            released: nothing happened, the key may be claimed, fences continue from f
--   f h o d           in progress: owner o holds fence f until d
--   f h o d x         in progress, and asked for after d: owner o may still come back until x
--   f h o k r         completed, with a record r of kind k
--   f h o             outcome unknown: no deadline, so it is never taken over
-- And t beside any of them: it was taken over once, or cleared by hand. That stays, since what the earlier owner did is
-- never known here.
--
-- Invariants
--  * At most one owner holds a key at a time, and each claim has a higher fence than all before it; also after the
--    record was lost, unless the clock steps back, since fences are never below the server's time in microseconds.
--  * A claim repeated by its own owner gets its own claim back, with a new lease.
--  * A key is taken over only after its deadline, and after a grace that begins when it is first asked for then: an
--    owner that lives may have been cut off for as long as this server was, and must not be overtaken by owners that are
--    back sooner. Completed and unknown records have no deadline and stay as they are.
--  * The fingerprint decides first: another payload learns nothing about the first one, not even that it is in flight.
--  * A waiting call changes nothing of the record: its channel is beside it, for as long as it waits.
--  * The key lives for the retention after its last transition, so that fences do not start again within it.
-- The first write is the only one that can be refused for lack of memory: then nothing has changed.

local key = KEYS[1]
local owner, fingerprint = ARGV[1], ARGV[2]
local lease, retention, grace = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local waiters, channel, patience = KEYS[2], ARGV[6], tonumber(ARGV[7])
local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local record = redis.call('HMGET', key, 'f', 'h', 'o', 'd', 'k', 'x', 't')
local fence = tonumber(record[1] or 0)

local function inFlight(left)
  if patience > 0 then
    redis.call('SADD', waiters, channel)
    if redis.call('PTTL', waiters) < patience then
      redis.call('PEXPIRE', waiters, patience)
    end
  end
  return {3, left}
end

local deadline = record[4] and tonumber(record[4])
local taken = (record[2] or record[7]) and 1 or 0

if record[2] then
  if deadline and record[3] == owner then
    redis.call('HSET', key, 'd', string.format('%.0f', now + lease * 1000))
    redis.call('HDEL', key, 'x')
    redis.call('PEXPIRE', key, lease + retention)
    return {1, fence, record[7] and 1 or 0}
  end
  if record[2] ~= fingerprint then
    return {4}
  end
  if record[5] then
    return {2, record[5], redis.call('HGET', key, 'r')}
  end
  if not deadline then
    return {5}
  end
  if deadline > now then
    return inFlight(deadline - now)
  end
  local waits = record[6] and tonumber(record[6])
  if not waits then
    waits = now + grace * 1000
    redis.call('HSET', key, 'x', string.format('%.0f', waits))
  end
  if waits > now then
    return inFlight(waits - now)
  end
end

if not (fence and fence <= now + 86400000000) then -- a day; also if it is not a number
  return redis.error_reply('FOREIGN ' .. key .. ' has the fence ' .. string.sub(record[1], 1, 200)
    .. ', which is none or far ahead of the time of the server: delete this key')
end
fence = math.max(fence + 1, now)
redis.call('HSET', key, 'f', string.format('%.0f', fence), 'h', fingerprint, 'o', owner,
  'd', string.format('%.0f', now + lease * 1000))
if taken == 1 then
  redis.call('HSET', key, 't', 1)
end
redis.call('HDEL', key, 'x')
redis.call('PEXPIRE', key, lease + retention)
return {1, fence, taken}
