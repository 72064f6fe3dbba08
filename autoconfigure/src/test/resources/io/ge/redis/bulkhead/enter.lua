-- Lets a call enter a bulkhead, or counts the calls at work.
--
-- KEYS  the sorted set of calls at work, by the end of their lease in ms
-- ARGV  id of the call, limit, lease in ms
-- Reply {1 if it has entered, calls at work}
--
-- Invariant: no more calls than the limit are at work whose lease has not ended.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local at_work = redis.call('ZCARD', KEYS[1])
if at_work >= tonumber(ARGV[2]) then
  return {0, at_work}
end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return {1, at_work + 1}
