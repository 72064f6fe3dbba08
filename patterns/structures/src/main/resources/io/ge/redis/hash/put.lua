-- Writes fields of an object.
--
-- KEYS  object
-- ARGV  milliseconds to live or 0 for ever, how many fields to write, field, value, ..., then the fields to remove
-- Reply {1 if the object is new or 0}
--
-- The first field to write has no name. It says that the object exists, and is new if the object is.
--
-- Invariant: other fields stay. An object has more than the field without a name. A call may be repeated. If the first
-- write is refused, nothing has happened.

local key, ttl, count = KEYS[1], ARGV[1], tonumber(ARGV[2])
local last = 2 + 2 * count

local new = false
if count > 1 then
  new = redis.call('HSET', key, unpack(ARGV, 3, last)) == count
end
if last < #ARGV then
  redis.call('HDEL', key, unpack(ARGV, last + 1))
  if redis.call('HLEN', key) == 1 then
    redis.call('HDEL', key, '')
  end
end
keep(key, ttl)
return {new and 1 or 0}
