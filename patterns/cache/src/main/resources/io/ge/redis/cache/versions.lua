-- Returns the versions of the tags of a cache that an instance does not know for certain.
--
-- KEYS  versions of the tags of the cache
-- ARGV  the version as of the last read, the highest version that the instance has heard of, how long in milliseconds
--       an entry may stay after it was stamped, channel and topic of the invalidation message, cache
-- Reply {last version, for how many microseconds none was given, server time in microseconds, tag, version, tag,
--       version ...} with all that are higher than at the last read
--
-- Invariants
--  * The set outlives every entry that it is about, as long as an instance reads it. If it does not exist, or if its
--    last version is lower than what an instance has heard, versions were lost: then all entries count as outdated from
--    here on, and all instances are notified. For an instance that has heard of none, none was given while the set
--    could be kept.
--  * Writes nothing otherwise, but to prolong the set when half of its time is over.
-- See outdate.lua for the set. The removal comes first: after it servers let a script write also without memory.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local versions, seen, heard, kept = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local last = tonumber(redis.call('ZRANGE', versions, -1, -1, 'WITHSCORES')[2] or '0')
local silent = now - last
if last == 0 or last < heard then
  silent = heard == 0 and kept * 1000 or 0
  last = math.max(last, heard, now - 1) + 1
  redis.call('DEL', versions)
  redis.call('ZADD', versions, string.format('%.0f', last), '*')
  redis.pcall('PUBLISH', ARGV[4], ARGV[5] .. ' ' .. string.format('%.0f', last) .. ' * ' .. ARGV[6])
end
if redis.call('PTTL', versions) < kept then
  redis.call('PEXPIRE', versions, 2 * kept)
end
local reply = redis.call('ZRANGEBYSCORE', versions, '(' .. seen, '+inf', 'WITHSCORES')
table.insert(reply, 1, string.format('%.0f', now))
table.insert(reply, 1, string.format('%.0f', math.max(0, silent)))
table.insert(reply, 1, string.format('%.0f', last))
return reply
