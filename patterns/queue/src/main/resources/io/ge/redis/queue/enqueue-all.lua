-- Puts several jobs into a queue, all or none.
--
-- KEYS  of the queue, see enqueue.lua
-- ARGV  number of arguments of a job, then for each job those of enqueue.lua, whose text stands in the function below
-- Reply for each job its number of elements, 1, and 'ok' or 'duplicate' | {2, 'full', number of jobs}
--
-- Invariant: without room for all there are none. Jobs that wait or run need no more room, so a call may be repeated.

local function one(KEYS, ARGV)
  --[[script]]
end

local width, waiting, needed, replies = tonumber(ARGV[1]), redis.call('HLEN', KEYS[1]), 0, {}
for i = 2, #ARGV, width do
  needed = needed + 1 - redis.call('HEXISTS', KEYS[1], ARGV[i])
end
if needed > 0 and waiting + needed > tonumber(ARGV[5]) then
  return {2, 'full', waiting}
end
for i = 2, #ARGV, width do
  replies[#replies + 1] = 1
  replies[#replies + 1] = one(KEYS, {unpack(ARGV, i, i + width - 1)})[1]
end
return replies
