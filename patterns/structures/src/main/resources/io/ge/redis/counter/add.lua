-- Counts values in the current window.
--
-- KEYS  counter
-- ARGV  window, milliseconds to live or 0 for ever, value, ...
-- Reply {1 if the estimate has changed or 0}
--
-- Invariant: the same value again changes nothing but the time to live, so a call may be repeated. If the write is
-- refused, nothing has happened.

local clock = ARGV[1] ~= 'none' and redis.call('TIME') or {0} -- the only reading of time
local key = window_key(KEYS[1], ARGV[1], tonumber(clock[1]), 0)
local changed = redis.call('PFADD', key, unpack(ARGV, 3))
keep(key, ARGV[2])
return {changed}
