-- Looks at a lock.
--
-- KEYS  lock, queue; both with the entity's hash tag
-- ARGV  none
-- Reply {0, waiting instances} if it is free, else {1, waiting instances, 1 if it is only kept for its shortest hold,
--       instance, handle, first token or 0, ms until the lease ends or -1, age in microseconds}
--
-- Invariant: writes nothing.
-- The age is the time since the first token was made, which is never below the time (state: see acquire.lua).

local lock, queue = KEYS[1], KEYS[2]

local waiting = redis.call('ZCARD', queue)
local held = redis.call('GET', lock)
if not held then
  return {0, waiting}
end

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local kept, instance, handle, first = string.match(held, '^(=? ?)(%S+) (%S+) ?(%d*)')
if first == '' then
  first = '0'
end
local age = first ~= '0' and math.max(0, now - first) or 0
return {1, waiting, kept ~= '' and 1 or 0, instance, handle, first, redis.call('PTTL', lock), string.format('%.0f', age)}
