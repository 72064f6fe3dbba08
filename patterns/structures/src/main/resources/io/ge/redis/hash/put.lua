-- Writes fields of an object.
--
-- KEYS  object
-- ARGV  milliseconds to live or 0 for ever, how many fields to write, field, value, ..., then the fields to remove
-- Reply {1 if the object is new or 0}
--
-- Invariant: other fields stay. A call may be repeated. If the first write is refused, nothing has happened.

local key, ttl, count = KEYS[1], ARGV[1], tonumber(ARGV[2])
local last = 2 + 2 * count

local known = redis.call('HLEN', key)
if count > 0 then
  redis.call('HSET', key, unpack(ARGV, 3, last))
end
if last < #ARGV then
  redis.call('HDEL', key, unpack(ARGV, last + 1))
end
if ttl ~= '0' then
  redis.call('PEXPIRE', key, ttl)
end
return {known == 0 and count > 0 and 1 or 0}
