-- Returns the members of a geo index in an area, nearest first.
--
-- KEYS  index
-- ARGV  those of GEOSEARCH, at the end COUNT, how many at most, WITHDIST and WITHCOORD; milliseconds to live or 0 for ever
-- Reply {{member, kilometres, {longitude, latitude}}, ..., 1 if no member expires and the index does not or 0}
--
-- Invariant, see put.lua for the state: of those that have expired none is returned, and none takes the place of another.

local most, ttl = tonumber(ARGV[#ARGV - 3]), ARGV[#ARGV]

remove_expired()
local expired = redis.call('ZCOUNT', expiry, '-inf', string.format('%.0f', now))
ARGV[#ARGV - 3] = most + expired

local reply = {}
for _, found in ipairs(redis.call('GEOSEARCH', index, unpack(ARGV, 1, #ARGV - 1))) do
  if #reply < most and (expired == 0 or not is_expired(found[1])) then
    reply[#reply + 1] = found
  end
end
reply[#reply + 1] = settled(ttl)
return reply
