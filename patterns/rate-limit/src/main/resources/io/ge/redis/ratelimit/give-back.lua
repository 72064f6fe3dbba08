-- Refunds the permits that a key has taken last, because an operator says so.
--
-- KEYS  the state of one limit
-- ARGV  channel of all instances, kind as in decide.lua, limit, window in microseconds, permits
-- Reply {refunded permits}
--
-- Invariants
--  * Only removes or lowers, and never prolongs; at most what is still taken is refunded.
--  * The newest permits go first: the oldest would have come back soon anyway.
--  * A bucket whose rate was changed is moved to the new one, as decide.lua would.
-- Not to be repeated: a second time refunds as many again.
-- The message is the one of refund.lua.

local key = KEYS[1]
local channel, kind, limit, window = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local permits = tonumber(ARGV[5])
local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local function give_back_stamps()
  local size = redis.call('LLEN', key)
  local taken = 0
  while taken < math.min(size, permits) and tonumber(redis.call('LINDEX', key, -1 - taken)) + window > now do
    taken = taken + 1
  end
  if taken > 0 then
    redis.call('LTRIM', key, 0, -1 - taken)
  end
  return taken
end

local function give_back_time()
  local state = redis.call('GET', key)
  if not state then
    return 0
  end
  local interval = math.ceil(window / limit)
  local scale = math.floor(math.log(interval) / math.log(2) * 20)
  local arrival, old_scale, ahead = string.match(state, '^(%d+)(%d%d%d)(:?%d*)$')
  local missing = math.max(0, tonumber(arrival) - now)
  local steps = scale - tonumber(old_scale)
  if math.abs(steps) > 1 then
    missing = math.ceil(missing * 2 ^ (steps / 20))
  end
  local taken = math.min(permits, math.ceil(missing / interval))
  missing = missing - taken * interval
  if missing > 0 then
    local lower = string.format('%.0f%03d', now + missing, scale) .. ahead
    redis.call('SET', key, lower, 'PX', math.ceil(missing / 1000) + 1)
  else
    redis.call('DEL', key)
  end
  return taken
end

local function give_back_counts()
  local state = redis.call('GET', key)
  if not state then
    return 0
  end
  local length, latest = struct.unpack('>dd', state)
  local past = kind == 'c' and 10 or 0
  local oldest = math.floor(now / length) - past
  local index = math.floor(latest / length)
  local taken = 0
  local position = #state - 3
  while taken < permits and position > 16 and index >= oldest do
    local count = struct.unpack('>I4', state, position)
    local part = math.min(count, permits - taken)
    if part > 0 then
      redis.call('SETRANGE', key, position - 1, struct.pack('>I4', count - part))
      taken = taken + part
    end
    position = position - 4
    index = index - 1
  end
  return taken
end

local given
if kind == 'w' then
  given = give_back_stamps()
elseif kind == 'b' then
  given = give_back_time()
else
  given = give_back_counts()
end
if given > 0 then
  redis.pcall('PUBLISH', channel, 'ratelimit.forget ' .. key)
end
return {given}
