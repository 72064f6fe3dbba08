-- Lists the sessions of a principal.
--
-- KEYS  index
-- ARGV  none
-- Reply {key of a session, 1 if it was entered more than a minute ago else 0, ...}, the latest ends first, at most 1,000
--
-- Invariant: entries that have ended are removed. An entry without a session is one that is about to be saved, or an old one.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local MINUTE = 8 -- in the units of index.lua

redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
local reply = redis.call('ZREVRANGE', KEYS[1], 0, 999, 'WITHSCORES')
for i = 2, #reply, 2 do
  local entered = tonumber(reply[i]) % 1 * 1024
  reply[i] = (math.floor(now / 8192) - entered) % 1024 > MINUTE and 1 or 0
end
return reply
