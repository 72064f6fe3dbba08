-- Lists the sessions of a principal.
--
-- KEYS  index
-- ARGV  timeout of most sessions in milliseconds
-- Reply {hash of an id, 1 if its entry is older than a minute else 0, ...}, the latest ends first, at most 1,000
--
-- Invariant: entries that have ended are removed. An entry without a session is one that is about to be saved, or an old one.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
local reply = redis.call('ZREVRANGE', KEYS[1], 0, 999, 'WITHSCORES')
for i = 2, #reply, 2 do
  reply[i] = tonumber(reply[i]) < now + tonumber(ARGV[1]) - 60000 and 1 or 0
end
return reply
