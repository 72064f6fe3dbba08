-- Returns the state of a key.
--
-- KEYS  the record, as laid out in claim.lua
-- ARGV  none
-- Reply {0} nothing is known of the key
--       {state, fence, owner or the empty string, microseconds since the claim, microseconds left of its lease or its
--        grace, milliseconds until the record is removed, 1 if an earlier call may have had its effect, else 0};
--       state is 1 in progress, 2 completed, 3 completed without a kept result, 4 outcome unknown, 5 free
--
-- Invariant: writes nothing.
-- The age is the time since the fence was made, which is not below the time.

local key = KEYS[1]

local record = redis.call('HMGET', key, 'f', 'h', 'o', 'd', 'k', 'x', 't')
if not record[1] then
  return {0}
end

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local state, left = 5, 0
if record[5] then
  state = record[5] == 'l' and 3 or 2
elseif record[4] then
  state = 1
  left = math.max(0, tonumber(record[6] or record[4]) - now)
elseif record[2] then
  state = 4
end
return {state, record[1], record[3] or '', string.format('%.0f', math.max(0, now - record[1])),
  string.format('%.0f', left), redis.call('PTTL', key), record[7] and 1 or 0}
