-- Frees a key by hand, whatever became of the call that claimed it.
--
-- KEYS  the record and those who wait for it, as laid out in claim.lua
-- ARGV  the fence of that call, or the empty string if it is not named
-- Reply {1} freed, {0} nobody holds the key, {2, fence} it was claimed with this fence, and that was not named: it is in
--       progress, or another fence was named
--
-- Invariants
--  * A call in progress loses its key only to who names its fence, so that it is not another one than was looked at.
--  * The fence stays: whoever had claimed the key can neither prolong, complete nor free it any more, and the next claim
--    has a higher one.
--  * The next claim is one that takes over, since what the earlier call did is not known here.
--  * Those who wait are told; without the permission to publish they look for themselves.
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
