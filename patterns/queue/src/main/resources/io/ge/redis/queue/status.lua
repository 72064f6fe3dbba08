-- Looks at a job.
--
-- KEYS  as in enqueue.lua
-- ARGV  id
-- Reply {state, attempts, result as JSON or problem as text}, the state one of queued | running | done | failed |
--       cancelled | unknown
--
-- Invariant: writes nothing.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local jobs, tries, inflight, results, ended = KEYS[1], KEYS[2], KEYS[4], KEYS[5], KEYS[6]
local id = ARGV[1]

if redis.call('HEXISTS', jobs, id) == 1 then
  local attempts = string.match(redis.call('HGET', tries, id) or '0', '^%d+')
  return {redis.call('ZSCORE', inflight, id) and 'running' or 'queued', tonumber(attempts), ''}
end
local kept = redis.call('ZSCORE', ended, id)
local result = kept and tonumber(kept) > now and redis.call('HGET', results, id)
if not result then
  return {'unknown', 0, ''}
end
local state, attempts, text = string.match(result, '^(%a+) (%d+) %d+\n(.*)$')
return {state, tonumber(attempts), text}
