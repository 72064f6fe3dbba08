-- Forgets what was used of limits, and notifies all instances.
--
-- KEYS  states of limits, all in one slot
-- ARGV  channel of all instances
-- Reply {number of states there were}
--
-- Invariants
--  * The message goes out also if there was no state: an instance may remember more than Redis.
--  * One message for all keys, in the form of refund.lua, but with the topic 'ratelimit.reset': instances also forget
--    what they have counted themselves.

local channel = ARGV[1]
local deleted = redis.call('DEL', unpack(KEYS))
redis.pcall('PUBLISH', channel, 'ratelimit.reset ' .. table.concat(KEYS, '\n'))
return {deleted}
