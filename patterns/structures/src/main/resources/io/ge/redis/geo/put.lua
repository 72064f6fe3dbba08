-- Puts a member of a geo index at a place.
--
-- KEYS  index
-- ARGV  longitude, latitude, member, milliseconds to live or 0 for ever
-- Reply {1 if the member is new or 0}
--
-- The index is a sorted set of places. Beside it, :expiry is a sorted set of the members by the time in milliseconds at
-- which they expire; members without one stay, and with them both keys.
--
-- Invariant: whatever is in the index after its time counts as gone. A call may be repeated. If the first write is
-- refused, nothing has happened.

local longitude, latitude, member, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local gone = is_expired(member)
local added = redis.call('GEOADD', index, longitude, latitude, member)
if ttl == '0' then
  redis.call('ZREM', expiry, member)
else
  redis.call('ZADD', expiry, string.format('%.0f', now + ttl), member)
end
remove_expired()
-- As long as the last member does, which may have been put with another time to live
local lives = '0'
if redis.call('ZCARD', index) <= redis.call('ZCARD', expiry) then
  lives = string.format('%.0f', redis.call('ZRANGE', expiry, -1, -1, 'WITHSCORES')[2] - now)
end
keep(index, lives)
keep(expiry, lives)
return {gone and 1 or added}
