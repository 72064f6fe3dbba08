-- Puts several jobs into a queue, all or none.
--
-- KEYS  of the queue, see enqueue.lua
-- ARGV  number of arguments of a job, then for each job those of enqueue.lua, whose text is in the function below
-- Reply for each job the number of elements and those of enqueue.lua | {2, 'full', number of jobs}
--
-- Invariant: without room for all there are none. Jobs that wait or run need no more room, so a call may be repeated.

local function one(KEYS, ARGV)
  --[[script]]
end

local width, waiting, needed, replies = tonumber(ARGV[1]), redis.call('HLEN', KEYS[1]), 0, {}
for i = 2, #ARGV, width do
  local key = string.match(ARGV[i], '^k%-%x+')
  local last = key and redis.call('HGET', KEYS[19], key)
  needed = needed + (last and redis.call('HEXISTS', KEYS[1], last) == 1 and 0 or 1)
end
if needed > 0 and waiting + needed > tonumber(ARGV[5]) then
  return {2, 'full', waiting}
end
for i = 2, #ARGV, width do
  local reply = one(KEYS, {unpack(ARGV, i, i + width - 1)})
  for _, part in ipairs({2, reply[1], reply[2]}) do
    replies[#replies + 1] = part
  end
end
return replies
