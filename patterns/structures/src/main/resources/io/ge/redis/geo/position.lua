-- Returns where a member of a geo index is.
--
-- KEYS  index
-- ARGV  member
-- Reply {longitude, latitude} | {} if it is not there
--
-- Invariant, see put.lua for the state: writes nothing.

local member = ARGV[1]

local place = redis.call('GEOPOS', index, member)[1]
if not place or is_expired(member) then
  return {}
end
return {place[1], place[2]}
