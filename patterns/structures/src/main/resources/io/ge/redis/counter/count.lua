-- Counts the different values of the last windows together.
--
-- KEYS  counter
-- ARGV  window, how many windows, with the current one
-- Reply {number of values}
--
-- Invariant: makes no key. Redis may keep the result in the key of a window, if it is the only one.

local clock = redis.call('TIME') -- the only reading of time
local keys = {}
for ago = 0, tonumber(ARGV[2]) - 1 do
  keys[#keys + 1] = window_key(KEYS[1], ARGV[1], tonumber(clock[1]), ago)
end
return {redis.call('PFCOUNT', unpack(keys))}
