-- Stores what a call has done.
--
-- KEYS  the record and the set of waiting instances, as laid out in claim.lua
-- ARGV  owner, fence, fingerprint, kind, record, retention in milliseconds
-- Reply {1} stored, {0} lost: another owner has taken over, and its effect counts
--
-- Invariants
--  * Only the owner with its fence completes, also after its deadline if no other has taken over since.
--  * A record that is gone (the server lost its data) has no owner: the effect happened, so it is recorded.
--  * A repetition by the same owner changes nothing but the retention.
--  * The retention counts from here.
--  * Waiting calls are notified once the record is written; without the permission to publish they look for themselves.
-- Works without memory, see beat.lua: a call that was admitted may also finish. If the second write is refused all the same,
-- the call is still in progress.

local key, waiters = KEYS[1], KEYS[2]
local owner, fence, fingerprint = ARGV[1], ARGV[2], ARGV[3]
local kind, result, retention = ARGV[4], ARGV[5], tonumber(ARGV[6])

local record = redis.call('HMGET', key, 'f', 'o', 'd', 'k')
if record[1] then
  if record[1] ~= fence or record[2] ~= owner or not (record[3] or record[4]) then
    return {0}
  end
end
redis.call('PEXPIRE', key, retention)
redis.call('HSET', key, 'f', fence, 'h', fingerprint, 'o', owner, 'k', kind, 'r', result)
redis.call('HDEL', key, 'd', 'x')
redis.call('PEXPIRE', key, retention)
for _, channel in ipairs(redis.call('SMEMBERS', waiters)) do
  redis.pcall('PUBLISH', channel, 'idempotency ' .. key)
end
redis.call('DEL', waiters)
return {1}
