-- Frees a key, because the call that claimed it has changed nothing.
--
-- KEYS  the record and the set of waiting instances, as laid out in claim.lua
-- ARGV  owner, fence or the empty string where the owner never learnt it, retention in milliseconds
-- Reply {1} freed, {0} the owner does not hold the key (any more)
--
-- Invariants
--  * Only the owner frees, and only while in progress. The fence stays, so that later claims continue from it.
--  * Only removes, so it succeeds without memory. A repetition does nothing.
--  * Waiting calls are notified: each of their instances may try. Without the permission to publish they look for
--    themselves.

local key, waiters = KEYS[1], KEYS[2]
local owner, fence, retention = ARGV[1], ARGV[2], tonumber(ARGV[3])

local record = redis.call('HMGET', key, 'f', 'o', 'd')
if record[2] ~= owner or not record[3] or (fence ~= '' and record[1] ~= fence) then
  return {0}
end
redis.call('HDEL', key, 'h', 'o', 'd', 'x')
redis.call('PEXPIRE', key, retention)
for _, channel in ipairs(redis.call('SMEMBERS', waiters)) do
  redis.pcall('PUBLISH', channel, 'idempotency ' .. key)
end
redis.call('DEL', waiters)
return {1}
