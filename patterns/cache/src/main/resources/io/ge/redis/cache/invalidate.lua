-- Removes an entry after a change whose value is not to be published, or whose order among the commits is unknown.
--
-- KEYS  entry, writers, waiters, refresh; all with the hash tag of the entry
-- ARGV  how long in milliseconds the writers of an entry are remembered, invalidation message of the entry ("channel
--       message") or '' if no instance keeps it in memory, then the ids of writers that are resolved by this, if any
-- Reply {1}
--
-- Invariants
--  * The entry, any lease on it and the permit to refresh it are removed.
--  * Every ticket given so far is worthless: its writer may have committed before this change. Pending writers continue
--    to block readers until they are resolved.
--  * A reader that asks for the entry after the invalidation message does not find the earlier value.
-- May be repeated. Succeeds without memory: if the hash of the writers cannot be changed it is removed, which makes all
-- tickets worthless as well. See intent.lua for that hash.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local entry, writers, waiters, refresh, memory = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1]
local invalidation = ARGV[2]

redis.call('DEL', entry, refresh)
notify(invalidation)
for i = 3, #ARGV do
  redis.call('HDEL', writers, 't:' .. ARGV[i])
end
local last = redis.call('HGET', writers, 'n') or '0'
local noted = redis.pcall('HSET', writers, 'a', last, 'r', string.format('%.0f', now))
if type(noted) == 'table' and noted.err then
  redis.call('DEL', writers)
else
  redis.call('PEXPIRE', writers, memory)
end
wake(waiters)
return {1}
