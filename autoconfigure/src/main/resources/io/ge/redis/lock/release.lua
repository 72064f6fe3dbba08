-- Gives up a lock, or the place in the queue, and hands on to the instance that has waited longest.
--
-- KEYS  lock, last token, queue, deadlines; all with the entity's hash tag
-- ARGV  instance (its channel), handle or '-' to leave the queue and hand back what was set aside,
--       how long the lock is set aside in ms, message to the chosen instance
-- Reply {1} if the lock is free now, {2} if it is set aside for another, {0} if it was not this handle's
--
-- Invariants (state: see acquire.lua)
--  * Only the owner gives up: what another handle or instance holds is not touched. A repetition finds nothing.
--  * After a release with somebody alive in the queue the lock is not free but set aside for exactly one instance,
--    which alone is told. Who does not take it in time, or has died, loses it to the TTL.
--  * Those whose deadline has passed are dropped, not chosen.
-- Works without memory: before any write that needs some, the queue has shrunk or the script is allowed to run; if
-- setting aside is refused all the same, the lock becomes free and the chosen instance is told to try. A message that
-- may not be published is as good as a lost one: the chosen instance asks again on its own.

local lock, queue, deadlines = KEYS[1], KEYS[3], KEYS[4]
local instance, handle, aside, message = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local held = redis.call('GET', lock)
if handle == '-' then
  redis.call('ZREM', queue, instance)
  redis.call('HDEL', deadlines, instance)
  if held ~= instance .. ' -' then
    return {0}
  end
else
  local mine = instance .. ' ' .. handle .. ' '
  if not held or string.sub(held, 1, #mine) ~= mine then
    return {0}
  end
end

local now
local chosen = redis.call('ZRANGE', queue, 0, 0)[1]
while chosen do
  if not now then
    local clock = redis.call('TIME') -- the only reading of time
    now = clock[1] * 1000000 + clock[2]
  end
  local deadline = tonumber(redis.call('HGET', deadlines, chosen) or 0)
  redis.call('ZREM', queue, chosen)
  redis.call('HDEL', deadlines, chosen)
  if deadline > now then
    break
  end
  chosen = redis.call('ZRANGE', queue, 0, 0)[1]
end

if not chosen then
  redis.call('DEL', lock)
  return {1}
end
local set = redis.pcall('SET', lock, chosen .. ' -', 'PX', aside)
if set.err then
  redis.call('DEL', lock)
end
redis.pcall('PUBLISH', chosen, message)
return {set.err and 1 or 2}
