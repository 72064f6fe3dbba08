-- Returns the members of a geo index in an area, nearest first.
--
-- KEYS  index
-- ARGV  how many at most, longitude, latitude, then the area as GEOSEARCH has it
-- Reply {member, kilometres, longitude, latitude, ...}
--
-- Invariant, see put.lua for the state: of those that have expired none is returned, and none takes the place of another.

local most, longitude, latitude = tonumber(ARGV[1]), ARGV[2], ARGV[3]

remove_expired()
local expired = redis.call('ZCOUNT', expiry, '-inf', string.format('%.0f', now))
local read = {'GEOSEARCH', index, 'FROMLONLAT', longitude, latitude}
for i = 4, #ARGV do
  read[#read + 1] = ARGV[i]
end
for _, word in ipairs({'ASC', 'COUNT', most + expired, 'WITHDIST', 'WITHCOORD'}) do
  read[#read + 1] = word
end

local reply = {}
for _, found in ipairs(redis.call(unpack(read))) do
  if #reply < 4 * most and (expired == 0 or not is_expired(found[1])) then
    for _, part in ipairs({found[1], found[2], found[3][1], found[3][2]}) do
      reply[#reply + 1] = part
    end
  end
end
return reply
