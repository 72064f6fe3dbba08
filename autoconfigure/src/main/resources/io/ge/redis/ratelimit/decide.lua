-- Decides on one call against all its limits on one entity, and takes a permit of each if all allow it.
--
-- KEYS  one state per limit, all with the entity's hash tag
-- ARGV  per limit four values: 'w' (sliding window) or 'b' (token bucket), limit, window in microseconds,
--       burst (token bucket only, else 0)
-- Reply {allowed 1|0, server time in microseconds, then per limit:
--       permits left, microseconds until the next permit is restored, microseconds to wait (0 where this limit allows)}
--
-- Invariants
--  * Check all, then write all: a denied call writes nothing, so it neither counts nor prolongs anything.
--  * 'w' is a list of the admission times inside the window, oldest first. With a full list the element that makes
--    room is the oldest of the last 'limit' ones; no window of that length ever holds more than 'limit' admissions.
--  * 'b' is the theoretical arrival time (GCRA): when the bucket would be full again. The interval is rounded up to
--    a microsecond, so the rate is never above the limit.
--  * A clock that steps back (failover) cannot admit more: times never fall below those stored; nor can it block
--    longer than one window, since a key lives one window after its last admission.
--  * Every key has a TTL of the time after which it says nothing any more.
-- If a write is refused for lack of memory, the limits before it are charged and the call fails: never too many.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local LIMIT_FIELDS = 4
local reply = {1, now}
local plans = {}

for i, key in ipairs(KEYS) do
  local base = (i - 1) * LIMIT_FIELDS
  local kind = ARGV[base + 1]
  local limit = tonumber(ARGV[base + 2])
  local window = tonumber(ARGV[base + 3])
  local plan = {kind = kind, window = window}
  local left, restored, wait

  if kind == 'w' then
    local size = redis.call('LLEN', key)
    local last = size > 0 and tonumber(redis.call('LINDEX', key, -1)) or 0
    plan.time = math.max(now, last)
    local oldest = size > 0 and tonumber(redis.call('LINDEX', key, 0)) or plan.time
    local gate = size >= limit and tonumber(redis.call('LINDEX', key, size - limit)) or nil
    wait = gate and math.max(0, gate + window - plan.time) or 0
    plan.all_expired = size > 0 and last + window <= plan.time
    if wait == 0 then
      local expired = 0
      if plan.all_expired then
        expired = size
      else
        while expired < size do
          oldest = tonumber(redis.call('LINDEX', key, expired))
          if oldest + window > plan.time then
            break
          end
          expired = expired + 1
        end
      end
      plan.expired = expired
      left = limit - (size - expired) - 1
      restored = (size == expired) and window or oldest + window - plan.time
    else
      left = 0
      restored = wait
    end
  else
    local burst = tonumber(ARGV[base + 4])
    local interval = math.ceil(window / limit)
    local tolerance = burst * interval
    local arrival = tonumber(redis.call('GET', key) or now)
    arrival = math.min(math.max(arrival, now), now + tolerance)
    plan.arrival = arrival + interval
    wait = math.max(0, plan.arrival - now - tolerance)
    if wait == 0 then
      left = math.floor((tolerance - (plan.arrival - now)) / interval)
      restored = (plan.arrival - now) - math.floor((plan.arrival - now - 1) / interval) * interval
    else
      left = 0
      restored = wait
    end
    plan.ttl = math.max(1, math.ceil((plan.arrival - now) / 1000))
  end

  if wait > 0 then
    reply[1] = 0
  end
  plans[i] = plan
  reply[#reply + 1] = left
  reply[#reply + 1] = restored
  reply[#reply + 1] = wait
end

if reply[1] == 0 then
  return reply
end

for i, key in ipairs(KEYS) do
  local plan = plans[i]
  if plan.kind == 'w' then
    if plan.all_expired then
      redis.call('DEL', key)
    elseif plan.expired > 0 then
      redis.call('LTRIM', key, plan.expired, -1)
    end
    redis.call('RPUSH', key, string.format('%.0f', plan.time))
    redis.call('PEXPIRE', key, math.max(1, math.ceil(plan.window / 1000)))
  else
    redis.call('SET', key, string.format('%.0f', plan.arrival), 'PX', plan.ttl)
  end
end
return reply
