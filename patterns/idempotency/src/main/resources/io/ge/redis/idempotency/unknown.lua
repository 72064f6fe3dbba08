-- Closes a key for good, because the effect of the call that claimed it is unknown.
--
-- KEYS  the record and the set of waiting instances, as laid out in claim.lua
-- ARGV  owner, fence, fingerprint, retention in milliseconds
-- Reply {1} closed, {0} lost: another owner has taken over
--
-- Invariants
--  * Only the owner with its fence closes, also after its deadline if no other has taken over since.
--  * Without a deadline no call takes the key over until the retention ends.
--  * A record that is gone (the server lost its data) has no owner and is written anew.
--  * A repetition by the same owner changes nothing but the retention.
--  * Waiting calls are notified; without the permission to publish they look for themselves.
-- Works without memory, see beat.lua; if the write of a lost record is refused all the same, nothing has changed.

local key, waiters = KEYS[1], KEYS[2]
local owner, fence, fingerprint, retention = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])

local record = redis.call('HMGET', key, 'f', 'o', 'd', 'k')
if not record[1] then
  redis.call('PEXPIRE', key, retention)
  redis.call('HSET', key, 'f', fence, 'h', fingerprint, 'o', owner)
elseif record[1] ~= fence or record[2] ~= owner or record[4] then
  return {0}
else
  redis.call('HDEL', key, 'd', 'x')
end
redis.call('PEXPIRE', key, retention)
for _, channel in ipairs(redis.call('SMEMBERS', waiters)) do
  redis.pcall('PUBLISH', channel, 'idempotency ' .. key)
end
redis.call('DEL', waiters)
return {1}
