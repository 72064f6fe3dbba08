-- Enters a session in the index of its principal.
--
-- KEYS  index: sorted set of keys of sessions, by the time in milliseconds at which the entry ends
-- ARGV  key of the session, milliseconds that the entry lives, largest number of entries or 0, end to remove the oldest ones
--       above it or refuse
-- Reply {'entered', a removed one, ...}, or {} if it is refused
--
-- The fraction of an end is the time of the entry: its units of 8192 ms modulo 1024, as parts of 1024.
--
-- Invariant: there are never more entries than the largest number, and none without an end. Entries that have ended do not
-- count. The key lives as long as its last entry.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local key, member, life, most, refuse = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == 'refuse'

redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
local known = redis.call('ZSCORE', key, member)
local above = redis.call('ZCARD', key) + (known and 0 or 1) - most
if most > 0 and not known and above > 0 and refuse then
  return {}
end
local units = math.floor(now / 8192) % 1024
redis.call('ZADD', key, string.format('%.10f', now + life + units / 1024), member)
local reply = {'entered'}
if most > 0 and above > 0 and not refuse then
  for _, old in ipairs(redis.call('ZRANGE', key, 0, above)) do
    if old ~= member and #reply <= above then
      redis.call('ZREM', key, old)
      reply[#reply + 1] = old
    end
  end
end
redis.call('PEXPIREAT', key, string.format('%.0f', math.ceil(redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2])))
return reply
