-- Leases the next jobs of a queue to an instance.
--
-- KEYS  as in enqueue.lua
-- ARGV  holder, how many, lease in milliseconds, milliseconds a priority is worth or 0 for strict order, 1 to look for
--       jobs without a place or 0
-- Reply {last id of the bell, 1 if there may be more to take or 0, milliseconds until the next job is due or -1, then for
--       each job: id, attempt, token, priority, time of arrival in milliseconds, payload}
--
-- Invariants, see enqueue.lua for the state
--  * A job has a new place before it loses the old one. Its time of arrival and its priority never change, so the order
--    holds after a crash.
--  * Of what waits, that with the lowest time of arrival less priority x worth is given; in strict order, that of the
--    highest priority, by arrival.
--  * The token is new with each delivery, so whoever had the job before cannot settle it. Attempts count whatever
--    becomes of them: whoever takes a job too often ends it, before any handler sees it.
--  * The work is bounded: no job is added to LARGE bytes or more, and CHUNK of those overdue are moved.
-- The first write removes, which servers let a script do without memory, and then all others.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local jobs, tries, delayed, inflight, bell = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[8]
local holder, count, lease = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local worth, search = tonumber(ARGV[4]) * 1000, ARGV[5]
local CHUNK, LARGE = 100, 1000000

local function micros(time)
  return string.format('%.0f', time)
end

local function find(id)
  local job = redis.call('HGET', jobs, id)
  if job then
    return string.match(job, '^(%d) (%d+)\n(.*)$')
  end
end

redis.call('HDEL', tries, '')

-- What is overdue waits again, what is due waits from now on
local moved = 0
for _, place in ipairs({inflight, delayed}) do
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', place, '-inf', micros(now), 'LIMIT', 0, CHUNK)) do
    local priority, arrival = find(id)
    if priority then
      redis.call('ZADD', KEYS[9 + priority], arrival, id)
    end
    redis.call('ZREM', place, id)
    moved = moved + 1
  end
end

if search == '1' then
  local placed = redis.call('ZCARD', delayed) + redis.call('ZCARD', inflight)
  for i = 9, 18 do
    placed = placed + redis.call('ZCARD', KEYS[i])
  end
  if placed < redis.call('HLEN', jobs) then
    for _, id in ipairs(redis.call('HRANDFIELD', jobs, CHUNK)) do
      local priority, arrival = find(id)
      if priority and not redis.call('ZSCORE', delayed, id) and not redis.call('ZSCORE', inflight, id) then
        redis.call('ZADD', KEYS[9 + priority], arrival, id)
      end
    end
    moved = CHUNK
  end
end

local heads = {}
local function next_band()
  local best, lowest
  for priority = 9, 0, -1 do
    heads[priority] = heads[priority] or redis.call('ZRANGE', KEYS[9 + priority], 0, 0, 'WITHSCORES')
    local arrival = tonumber(heads[priority][2])
    if arrival and worth == 0 then
      return priority
    end
    if arrival and (not lowest or arrival - priority * worth < lowest) then
      best, lowest = priority, arrival - priority * worth
    end
  end
  return best
end

local last = redis.call('XREVRANGE', bell, '+', '-', 'COUNT', 1)
local reply = {last[1] and last[1][1] or '0-0', 0, -1}
local size, looked = 0, 0
local band = next_band()
while band and looked < count and size < LARGE do
  local id, place = heads[band][1], KEYS[9 + band]
  local priority, arrival, payload = find(id)
  if priority then
    local attempt = tonumber(string.match(redis.call('HGET', tries, id) or '0', '^%d+')) + 1
    local token = attempt .. ' ' .. micros(now) .. ' ' .. holder
    redis.call('HSET', tries, id, token)
    redis.call('ZADD', inflight, micros(now + lease * 1000), id)
    for _, part in ipairs({id, attempt, token, priority, math.floor(arrival / 1000), payload}) do
      reply[#reply + 1] = part
    end
    size = size + #payload
  end
  redis.call('ZREM', place, id)
  looked = looked + 1
  heads[band] = nil
  band = next_band()
end

local due = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')
reply[2] = (band or moved >= CHUNK) and 1 or 0
reply[3] = due[2] and math.max(1, math.ceil((tonumber(due[2]) - now) / 1000)) or -1
return reply
