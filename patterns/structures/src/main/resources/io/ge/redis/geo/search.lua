-- Returns the members of a geo index in an area, nearest first.
--
-- KEYS  index
-- ARGV  those of GEOSEARCH, at the end COUNT, how many at most, WITHDIST and WITHCOORD
-- Reply {{member, kilometres, {longitude, latitude}}, ...}
--
-- Invariant, see put.lua for the state: of those that have expired none is returned, and none takes the place of another.

local most = tonumber(ARGV[#ARGV - 2])

remove_expired()
local expired = redis.call('ZCOUNT', expiry, '-inf', string.format('%.0f', now))
ARGV[#ARGV - 2] = most + expired

local reply = {}
for _, found in ipairs(redis.call('GEOSEARCH', index, unpack(ARGV))) do
  if #reply < most and (expired == 0 or not is_expired(found[1])) then
    reply[#reply + 1] = found
  end
end
return reply
