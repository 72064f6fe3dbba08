-- Notes that an application uses the prefix, and returns which others do.
--
-- KEYS  sorted set of the applications by when they were last seen, in ms
-- ARGV  name of the application, for how long it is remembered, in ms
-- Reply {name of another application, ...}, the latest ones
--
-- Invariant: an application that is not seen for that time is forgotten, and so is the key.
-- If the first write that needs memory is refused, the call fails and returns nothing.

local applications, name, kept = KEYS[1], ARGV[1], tonumber(ARGV[2])

local MOST = 10

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

redis.call('ZREMRANGEBYSCORE', applications, '-inf', string.format('%.0f', now - kept))
redis.call('ZADD', applications, string.format('%.0f', now), name)
redis.call('PEXPIRE', applications, kept)

local others = {}
for _, other in ipairs(redis.call('ZREVRANGE', applications, 0, MOST)) do
  if other ~= name then
    others[#others + 1] = other
  end
end
return others
