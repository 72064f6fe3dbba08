-- Prolongs the lease of a call that still runs.
--
-- KEYS  the record, as laid out in claim.lua
-- ARGV  owner, fence, lease in milliseconds, retention in milliseconds
-- Reply {1} prolonged, {0} lost: the key belongs to another owner, or to none
--
-- Invariant: only the owner with its fence prolongs, also after its deadline if no other has taken over since.
-- Works without memory: servers from 7.0 on know the flag allow-oom; older ones apply the limit to the first write of a
-- script only, and that is PEXPIRE. If the other write is refused all the same, the deadline is the old one.

local key = KEYS[1]
local owner, fence = ARGV[1], ARGV[2]
local lease, retention = tonumber(ARGV[3]), tonumber(ARGV[4])
local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local record = redis.call('HMGET', key, 'f', 'o', 'd')
if record[1] ~= fence or record[2] ~= owner or not record[3] then
  return {0}
end
redis.call('PEXPIRE', key, lease + retention)
redis.call('HDEL', key, 'x')
redis.call('HSET', key, 'd', string.format('%.0f', now + lease * 1000))
return {1}
