-- Removes a member of a geo index.
--
-- KEYS  index
-- ARGV  member
-- Reply {1 if it was there or 0}
--
-- Invariant, see put.lua for the state: a call may be repeated.

local member = ARGV[1]

local gone = is_expired(member)
local removed = redis.call('ZREM', index, member)
redis.call('ZREM', expiry, member)
return {gone and 0 or removed}
