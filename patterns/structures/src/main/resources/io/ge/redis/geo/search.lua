-- Returns the members of a geo index in an area, nearest first.
--
-- KEYS  index
-- ARGV  milliseconds to live or 0 for ever, how many at most, then longitude, latitude and the area as GEOSEARCH has them
-- Reply {{member, kilometres, {longitude, latitude}}, ..., 1 if no member expires and the index does not or 0}
--
-- Invariant, see put.lua for the state: of those that have expired none is returned, and none takes the place of another.

local ttl, most = ARGV[1], tonumber(ARGV[2])

remove_expired()
local expired = redis.call('ZCOUNT', expiry, '-inf', string.format('%.0f', now))
local read = {'GEOSEARCH', index, 'FROMLONLAT'}
for i = 3, #ARGV do
  read[#read + 1] = ARGV[i]
end
for _, word in ipairs({'ASC', 'COUNT', most + expired, 'WITHDIST', 'WITHCOORD'}) do
  read[#read + 1] = word
end

local reply = {}
for _, found in ipairs(redis.call(unpack(read))) do
  if #reply < most and (expired == 0 or not is_expired(found[1])) then
    reply[#reply + 1] = found
  end
end
reply[#reply + 1] = settled(ttl)
return reply
