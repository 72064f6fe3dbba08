-- Removes an object.
--
-- KEYS  object
-- ARGV  none
-- Reply {1 if it was there or 0}
--
-- Invariant: a key of another type stays.

local key = KEYS[1]

local known = redis.call('HLEN', key)
redis.call('DEL', key)
return {known > 0 and 1 or 0}
