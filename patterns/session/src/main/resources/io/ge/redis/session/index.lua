-- Enters a session in the index of its principal.
--
-- KEYS  index: sorted set of hashes of ids by the time in milliseconds at which the entry ends
-- ARGV  hash of the id, milliseconds that the entry lives, 1 to only renew it else 0, hash of the id that it replaces or '',
--       largest number of entries or 0, end to remove the oldest ones above it or refuse
-- Reply {'entered', hash of a removed one, ...} | {'refused'} | {'absent'} if there was none to renew
--
-- Invariant: there are never more entries than the largest number, and none without an end. Entries that have ended do not
-- count, nor does that which is replaced: it stays until the session has moved. The key lives as long as its last entry.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local key, member, life, renew, replaced, most = KEYS[1], ARGV[1], ARGV[2], ARGV[3] == '1', ARGV[4], tonumber(ARGV[5])

redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
local known = redis.call('ZSCORE', key, member)
if renew and not known then
  return {'absent'}
end
local others = redis.call('ZCARD', key) - (known and 1 or 0)
if replaced ~= '' and redis.call('ZSCORE', key, replaced) then
  others = others - 1
end
if most > 0 and not known and others >= most and ARGV[6] == 'refuse' then
  return {'refused'}
end
redis.call('ZADD', key, string.format('%.0f', now + life), member)
local reply = {'entered'}
if most > 0 and others >= most and ARGV[6] == 'end' then
  for _, old in ipairs(redis.call('ZRANGE', key, 0, others + 2 - most)) do
    if old ~= member and old ~= replaced and #reply <= others + 1 - most then
      redis.call('ZREM', key, old)
      reply[#reply + 1] = old
    end
  end
end
redis.call('PEXPIREAT', key, redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2])
return reply
