-- Makes the entries of a cache that have certain tags, or all of them, count as outdated.
--
-- KEYS  versions of the tags of the cache
-- ARGV  the highest version that the caller knows, how long in milliseconds an entry may stay after it was stamped,
--       channel and topic of the invalidation message, cache, hashes of the tags or '*' for all entries
-- Reply {version, 1 if all entries count as outdated with it or 0}
--
-- The versions are a sorted set: member a tag, or '*', score the version that it had when it was last invalidated.
-- Readers compare them with the stamp of an entry; nothing else is touched, however many entries there are.
--
-- Invariants
--  * Versions of a cache rise, also beyond what was lost with the set: each is a server time in microseconds or more.
--  * If the set is not there, or if its last version is lower than what the caller has heard, versions were lost: then
--    all entries count as outdated, as in versions.lua. Else this version would hide the loss.
--  * The set never expires earlier than another caller requires.
--  * A tag is forgotten only if all entries that are older than its version count as outdated by '*'. If its time is
--    over, this affects only entries that were stored with a longer TTL than today's.
--  * A receiver of the invalidation message finds the version in the set.
-- The removal of what is forgotten comes first: after it servers let a script write also without memory. If the set
-- cannot be written all the same it is removed. The next read of any instance takes this for the loss of all versions,
-- and all instances are notified that all is outdated.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local versions, known, kept = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local channel, topic, cache = ARGV[3], ARGV[4], ARGV[5]
local most = 10000

local function text(version)
  return string.format('%.0f', version)
end

-- If this cannot be written, what comes after it cannot either
local function outdate_all(forgotten)
  local all = redis.call('ZSCORE', versions, '*') or '0'
  redis.pcall('ZADD', versions, text(math.max(tonumber(forgotten), tonumber(all))), '*')
end

local last = tonumber(redis.call('ZRANGE', versions, -1, -1, 'WITHSCORES')[2] or '0')
local version = math.max(last, known, now - 1) + 1
local over = '(' .. text(now - kept * 1000)
local forgotten = redis.call('ZREVRANGEBYSCORE', versions, over, '-inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
redis.call('ZREMRANGEBYSCORE', versions, '-inf', over)
if forgotten then
  outdate_all(forgotten)
end

local all = ARGV[6] == '*' or last == 0 or last < known
local scored = {text(version), '*'}
if not all then
  scored = {}
  for i = 6, #ARGV do
    scored[#scored + 1] = text(version)
    scored[#scored + 1] = ARGV[i]
  end
end
local noted = redis.pcall('ZADD', versions, unpack(scored))
if type(noted) == 'table' and noted.err then
  redis.call('DEL', versions)
  all = true
else
  if all then
    redis.call('ZREMRANGEBYSCORE', versions, '-inf', '(' .. text(version))
  end
  local more = redis.call('ZCARD', versions) - most
  if more > 0 then
    forgotten = redis.call('ZRANGE', versions, more - 1, more - 1, 'WITHSCORES')[2]
    redis.call('ZREMRANGEBYRANK', versions, 0, more - 1)
    outdate_all(forgotten)
  end
  if redis.call('PTTL', versions) < 2 * kept then
    redis.call('PEXPIRE', versions, 2 * kept)
  end
end
local tags = all and '*' or table.concat(ARGV, ',', 6)
redis.pcall('PUBLISH', channel, topic .. ' ' .. text(version) .. ' ' .. tags .. ' ' .. cache)
return {text(version), all and 1 or 0}
