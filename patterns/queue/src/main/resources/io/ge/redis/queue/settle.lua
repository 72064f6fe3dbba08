-- Ends or extends deliveries of jobs, of mixed outcomes.
--
-- KEYS  as in enqueue.lua
-- ARGV  how often a job is taken at most, milliseconds for which a result is kept, how many dead letters are kept and for
--       how many milliseconds, channel to ring or '', how many results are kept, then for each delivery: id, token,
--       outcome (done | retry | reject | expire | release | extend | cancel), pause before a retry or lease in
--       milliseconds, result as JSON or the problem as text
-- Reply {position, ...} from 0 of those that belong to another holder by now, or are gone
--
-- Invariants, see enqueue.lua for the state
--  * Only the holder of the token settles, so a call may be repeated. A job that does not run is cancelled by anyone, with
--    the token '*' also one that runs.
--  * Result and dead letter are written before the job is removed, and a new place before the old one.
--  * A retry after the last attempt and an expired further one are dead letters. A release takes the attempt back.
--  * Keys are forgotten by the ids in ended, so both are kept while there are jobs, and expire together.
-- The first write removes, so it succeeds without memory.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local jobs, tries, delayed, inflight = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local results, ended, dead, bell, keys = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[19]
local most, keep, cap, ttl, channel = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
local bound = tonumber(ARGV[6])
local LATER = 1000
local over, ring = false, false
local lost = {}
local reasons = {reject = 'rejected', expire = 'lease-expired'}

local function micros(time)
  return string.format('%.0f', time)
end

-- Moves a job to a place, or out of all
local function move(id, priority, to, score)
  if to then
    redis.call('ZADD', to, score, id)
  end
  for _, place in ipairs({delayed, inflight, KEYS[9 + priority]}) do
    if place ~= to then
      redis.call('ZREM', place, id)
    end
  end
end

local function finish(id, state, attempts, priority, text)
  redis.call('HSET', results, id, state .. ' ' .. attempts .. ' ' .. micros(now) .. '\n' .. text)
  redis.call('ZADD', ended, micros(now + keep * 1000), id)
  redis.call('HDEL', jobs, id)
  move(id, priority)
  redis.call('HDEL', tries, id)
  over = true
end

redis.call('HDEL', tries, '')
for i = 7, #ARGV, 5 do
  local id, token, outcome, pause, text = ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3]), ARGV[i + 4]
  local job, try = redis.call('HGET', jobs, id), redis.call('HGET', tries, id) or '0'
  local mine = try == token
  if outcome == 'cancel' then
    mine = token == '*' or not redis.call('ZSCORE', inflight, id)
  end
  if not job or not mine then
    lost[#lost + 1] = (i - 7) / 5
  else
    local priority, arrival, payload = string.match(job, '^(%d) (%d+)\n(.*)$')
    local attempts = tonumber(string.match(try, '^%d+'))
    if outcome == 'done' then
      finish(id, 'done', attempts, priority, text)
    elseif outcome == 'cancel' then
      finish(id, 'cancelled', attempts, priority, '')
    elseif outcome == 'extend' then
      move(id, priority, inflight, micros(now + pause * 1000))
    elseif outcome == 'release' then
      move(id, priority, KEYS[9 + priority], arrival)
      redis.call('HSET', tries, id, attempts - 1)
      ring = true
    elseif outcome == 'retry' and attempts < most then
      move(id, priority, delayed, micros(now + pause * 1000))
      redis.call('HSET', tries, id, attempts)
    else
      attempts = math.min(attempts, most)
      redis.call('XADD', dead, 'MAXLEN', cap, '*', 'id', id, 'attempts', attempts, 'priority', priority, 'reason',
        reasons[outcome] or 'failed', 'problem', text, 'payload', payload)
      redis.call('PEXPIRE', dead, ttl)
      finish(id, 'failed', attempts, priority, text)
    end
  end
end
if over then
  local excess = redis.call('ZCARD', ended) - bound
  for _, id in ipairs(excess > 0 and redis.call('ZRANGE', ended, 0, math.min(excess, #ARGV) - 1)
      or redis.call('ZRANGEBYSCORE', ended, '-inf', micros(now), 'LIMIT', 0, #ARGV)) do
    redis.call('HDEL', results, id)
    redis.call('ZREM', ended, id)
    local key = string.match(id, '^k%-%x+')
    if key and redis.call('HGET', keys, key) == id then
      redis.call('HDEL', keys, key)
    end
  end
  redis.call('PEXPIRE', results, keep + LATER)
  for _, index in ipairs({ended, keys}) do
    if redis.call('HLEN', jobs) == 0 then
      redis.call('PEXPIRE', index, keep + LATER)
    else
      redis.call('PERSIST', index)
    end
  end
end
if ring then
  redis.call('XADD', bell, 'MAXLEN', '1', '*', 'r', '')
  if channel ~= '' then
    redis.pcall('PUBLISH', channel, 'bell ' .. bell)
  end
end
return lost
