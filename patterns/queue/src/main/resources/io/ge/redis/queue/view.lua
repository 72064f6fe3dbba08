-- Counts the jobs of a queue.
--
-- KEYS  as in enqueue.lua
-- ARGV  none
-- Reply {jobs, in flight, delayed, dead letters, age in milliseconds of the job that waits longest or -1, then how many
--       wait with each priority from 0 to 9}
--
-- Invariant: writes nothing.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local age = -1
local reply = {redis.call('HLEN', KEYS[1]), redis.call('ZCARD', KEYS[4]), redis.call('ZCARD', KEYS[3]),
  redis.call('XLEN', KEYS[7]), -1}
for i = 9, 18 do
  local head = redis.call('ZRANGE', KEYS[i], 0, 0, 'WITHSCORES')
  if head[2] then
    age = math.max(age, math.floor((now - tonumber(head[2])) / 1000))
  end
  reply[#reply + 1] = redis.call('ZCARD', KEYS[i])
end
reply[5] = age
return reply
