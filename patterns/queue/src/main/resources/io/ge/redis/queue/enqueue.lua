-- Puts a job into a queue, unless the last job of its key is a duplicate.
--
-- KEYS  of the queue: jobs, tries, delayed, in flight, results, ended, dead, bell; ready for priorities 0 to 9; keys
-- ARGV  id, of a job with a key the key and a suffix; priority from 0 to 9; delay in milliseconds; how many jobs the queue
--       may hold; milliseconds for which a job that has ended holds its key; channel to ring or ''; payload
-- Reply {'ok', id} | {'duplicate', id of the job that holds the key} | {'full', number of jobs}
--
-- Of a queue there are
--   jobs     hash: id -> priority, a space, time of arrival in microseconds, a newline, payload
--   tries    hash: id -> how often it was taken, while it runs with a space and the token of the delivery
--   ready    for each priority, sorted set of the ids that wait, by time of arrival
--   delayed  sorted set of the ids that are to wait, by the time in microseconds at which they are due
--   inflight sorted set of the ids that run, by the time at which their lease ends
--   results  hash: id -> state, a space, attempts, a space, time of the end in microseconds, a newline, result or problem
--   ended    sorted set of the ids with a result, by the time at which it is forgotten
--   dead     stream of the jobs that were given up
--   bell     stream of one entry: a further one wakes the idle instances
--   keys     hash: key -> id of its last job; forgotten with the result of that job
--
-- Invariants
--  * A job of jobs is in exactly one of ready, delayed and in flight. One in none, as after a write that was refused, is
--    put back by take.lua.
--  * A job holds its key while it waits or runs, and for a window after its end unless it has failed. So a call with a key
--    may be repeated when its reply was lost.
-- The first write is the key, which is free as long as there is no such job. The next one is the job.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local jobs, delayed, results, ended, bell, keys = KEYS[1], KEYS[3], KEYS[5], KEYS[6], KEYS[8], KEYS[19]
local id, priority, delay = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local bound, window, channel, payload = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]
local key = string.match(id, '^k%-%x+')

local last = key and redis.call('HGET', keys, key)
if last then
  local state, over = string.match(redis.call('HGET', results, last) or '', '^(%a+) %d+ (%d+)')
  if redis.call('HEXISTS', jobs, last) == 1 or (over and state ~= 'failed' and now - over < window * 1000) then
    return {'duplicate', last}
  end
end
local waiting = redis.call('HLEN', jobs)
if waiting >= bound then
  return {'full', waiting}
end

if key then
  redis.call('HSET', keys, key, id)
  redis.call('PERSIST', keys)
  redis.call('PERSIST', ended)
end
local arrival = string.format('%.0f', now + delay * 1000)
redis.call('HSET', jobs, id, priority .. ' ' .. arrival .. '\n' .. payload)
redis.call('ZADD', delay > 0 and delayed or KEYS[9 + priority], arrival, id)
redis.call('XADD', bell, 'MAXLEN', '1', '*', 'r', '')
if channel ~= '' then
  redis.pcall('PUBLISH', channel, 'bell ' .. bell)
end
return {'ok', id}
