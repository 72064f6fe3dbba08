-- Gives an instance the changes since those it knows, and permission to answer from memory for a while.
--
-- KEYS  stream of the changes, hash of the instances that follow it
-- ARGV  id of the instance
--       id of the last change it knows and that change itself
--       how many changes it takes at most, for how long it may answer from memory, in ms
-- Reply {0, the time in microseconds, id, change, id, change, ...} or {1} if it must read all rows again
--
-- Invariants
--  * Nothing is missing between the last change it knows and those that are given: that change is still in the
--    stream. Otherwise the stream was cut, lost, or belongs to a server which had not received it.
--  * An instance that answers from memory is in the hash until it ends to do so, with a change that it knows. It counts
--    from before it asked, so it ends no later than noted here.
--  * The instance that begins the hash notes until when instances of a lost hash may answer from memory, see
--    unaware.lua.
--  * Runs also when the memory limit is reached, see change.lua. If a write is refused all the same the call fails, and
--    the instance ends to answer from memory.

local changes, readers = KEYS[1], KEYS[2]
local instance, id, known = ARGV[1], ARGV[2], ARGV[3]
local most, lease = tonumber(ARGV[4]), tonumber(ARGV[5])

local FORGOTTEN_AFTER = 86400000
local LOST = 'lost'

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local found = redis.call('XRANGE', changes, id, '+', 'COUNT', most + 1)
local first = found[1]
if not first or first[1] ~= id or first[2][2] ~= known then
  return {1}
end

redis.call('PEXPIRE', readers, FORGOTTEN_AFTER + lease)
local ends = string.format('%.0f', math.ceil(now / 1000) + lease)
redis.call('HSETNX', readers, LOST, ends .. ' 0-0')
redis.call('HSET', readers, instance, ends .. ' ' .. id)
redis.call('PEXPIRE', readers, FORGOTTEN_AFTER + lease)

local reply = {0, string.format('%.0f', now)}
for i = 2, #found do
  reply[#reply + 1] = found[i][1]
  reply[#reply + 1] = found[i][2][2]
end
return reply
