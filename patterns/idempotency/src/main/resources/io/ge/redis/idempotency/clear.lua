-- Frees a key by hand, whatever became of the call that claimed it.
--
-- KEYS  the record and the set of waiting instances, as laid out in claim.lua
-- ARGV  the fence of that call, or the empty string if it is not named
-- Reply {1} freed, {0} no call holds the key, {2, fence} it was claimed with this fence, and that was not named: it is in
--       progress, or another fence was named
--
-- Invariants
--  * A call in progress loses its key only if its fence is named, so that it is the one that was inspected.
--  * The fence stays: the former owner can neither prolong, complete nor free it any more, and the next claim
--    has a higher one.
--  * The next claim is one that takes over, since what the earlier call did is not known here.
--  * Waiting calls are notified; without the permission to publish they look for themselves.
-- The first write is the only one that can be refused for lack of memory: then nothing has changed.

local key, waiters = KEYS[1], KEYS[2]
local named = ARGV[1]

local record = redis.call('HMGET', key, 'f', 'h', 'd')
if not record[2] then
  return {0}
end
if named ~= record[1] and (named ~= '' or record[3]) then
  return {2, record[1]}
end
redis.call('HSET', key, 't', 1)
redis.call('HDEL', key, 'h', 'o', 'd', 'k', 'r', 'x')
for _, channel in ipairs(redis.call('SMEMBERS', waiters)) do
  redis.pcall('PUBLISH', channel, 'idempotency ' .. key)
end
redis.call('DEL', waiters)
return {1}
