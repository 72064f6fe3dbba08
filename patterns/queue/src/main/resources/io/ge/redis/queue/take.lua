-- Leases the next jobs of a queue to an instance.
--
-- KEYS  as in enqueue.lua
-- ARGV  the first six of settle.lua; holder, how many, lease in milliseconds, milliseconds a priority is worth or 0 for
--       strict order, 1 to look for jobs without a place or 0, how many bytes at most, from how many bytes on a lost reply
--       counts as an attempt, for how many milliseconds replies of takes may have been lost or -1; then the tokens of what
--       the holder knows to have
-- Reply {last id of the bell; 1 if there may be more to take or 0, 2 if also of lost replies; milliseconds until the next
--       job is due or -1; number of jobs that were given up, their ids; then for each job: id, attempt, token, priority,
--       time of arrival in milliseconds, payload}
--
-- Invariants, see enqueue.lua for the state
--  * A job has a new place before it loses the old one. Its time of arrival and its priority never change.
--  * The waiting job with the lowest time of arrival less priority x worth is next; in strict order, the job of the highest
--    priority, by arrival.
--  * The token is new with each delivery, so a former holder cannot settle it. A job that was taken often enough is given
--    up by settle.lua, and its payload does not leave Redis.
--  * A holder that has missed a reply is given the same again, which counts as one attempt; only a job above the last
--    bound is counted each time, unless that was only just, as all late takes are run together after an outage.
--  * The work is bounded: no job is added to those that have the bytes, and CHUNK of those overdue are moved.
-- The first write removes, which servers let a script do without memory, and then all others.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local jobs, tries, delayed, inflight, bell = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[8]
local most, holder, count, lease = tonumber(ARGV[1]), ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local worth, search = tonumber(ARGV[10]) * 1000, ARGV[11]
local bytes, large, uncertain = tonumber(ARGV[12]), tonumber(ARGV[13]), tonumber(ARGV[14]) * 1000
local CHUNK, SCANNED = 100, 1000
local TOGETHER = 100000
local given, dead, out = 0, {}, {}

local function settle(KEYS, ARGV)
  --[[script]]
end

local function micros(time)
  return string.format('%.0f', time)
end

local function find(id)
  local job = redis.call('HGET', jobs, id)
  local priority, arrival, start = string.match(job or '', '^(%d) (%d+)\n()')
  return priority, arrival, job, start
end

local function let_wait(id)
  local priority, arrival = find(id)
  if priority then
    redis.call('ZADD', KEYS[9 + priority], arrival, id)
  end
end

redis.call('HDEL', tries, '')
local moved = 0
for _, place in ipairs({inflight, delayed}) do
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', place, '-inf', micros(now), 'LIMIT', 0, CHUNK)) do
    let_wait(id)
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
      if not redis.call('ZSCORE', delayed, id) and not redis.call('ZSCORE', inflight, id) then
        let_wait(id)
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
    local place = arrival and (worth == 0 and -priority or arrival - priority * worth)
    if place and (not lowest or place < lowest) then
      best, lowest = priority, place
    end
  end
  return best
end

-- Leases a job, or gives it up after its last attempt; returns whether there is room for it
local function lease_job(id, attempt)
  local length = redis.call('HSTRLEN', jobs, id)
  local over = attempt > most
  if not over and given > 0 and length > bytes then
    return false
  end
  local priority, arrival, job, start = find(id)
  if not priority then
    return true
  end
  local token = attempt .. ' ' .. micros(now) .. ' ' .. holder
  redis.call('HSET', tries, id, token)
  redis.call('ZADD', inflight, micros(now + lease * 1000), id)
  if over then
    -- A failure leaves it to the next lease
    local arguments = {most, ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], id, token, 'expire', 0, 'lease-expired'}
    if pcall(settle, KEYS, arguments) then
      dead[#dead + 1] = id
    end
    return true
  end
  given, bytes = given + 1, bytes - length
  for _, part in ipairs({id, attempt, token, priority, math.floor(arrival / 1000), string.sub(job, start)}) do
    out[#out + 1] = part
  end
  return true
end

local roomy, cut = true, false
if uncertain >= 0 then
  local held = {}
  for i = 15, #ARGV do
    held[ARGV[i]] = true
  end
  for _, id in ipairs(redis.call('ZREVRANGE', inflight, 0, SCANNED - 1)) do
    local token = redis.call('HGET', tries, id) or ''
    local attempt, at, by = string.match(token, '^(%d+) (%d+) (.*)$')
    if by == holder and not held[token] and now - at <= uncertain then
      local counts = now - at >= TOGETHER and redis.call('HSTRLEN', jobs, id) > large
      roomy = roomy and given < count and lease_job(id, attempt + (counts and 1 or 0))
      cut = not roomy
    end
  end
end

local last = redis.call('XREVRANGE', bell, '+', '-', 'COUNT', 1)
local looked = given
local band = next_band()
while band and looked < count and roomy do
  local id, place = heads[band][1], KEYS[9 + band]
  roomy = lease_job(id, tonumber(string.match(redis.call('HGET', tries, id) or '0', '^%d+')) + 1)
  if roomy then
    redis.call('ZREM', place, id)
    looked = looked + 1
    heads[band] = nil
    band = next_band()
  end
end

local due = redis.call('ZRANGE', delayed, 0, 0, 'WITHSCORES')
local reply = {last[1] and last[1][1] or '0-0', cut and 2 or (band or moved >= CHUNK) and 1 or 0,
  due[2] and math.max(1, math.ceil((tonumber(due[2]) - now) / 1000)) or -1, #dead}
for _, list in ipairs({dead, out}) do
  for i = 1, #list do
    reply[#reply + 1] = list[i]
  end
end
return reply
