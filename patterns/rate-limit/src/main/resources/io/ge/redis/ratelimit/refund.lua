-- Refunds permits that an admission took, and notifies all instances that these limits may admit again.
--
-- KEYS  as for decide.lua, in any choice and order
-- ARGV  channel of all instances, then per key five values: kind, limit, window in microseconds as for decide.lua;
--       permits to refund; the stamp of the charge
-- Reply {number of keys that were changed}
--
-- Invariants
--  * Only removes or lowers, and never prolongs; what has expired since is not refunded.
--  * 'w': only elements of exactly that stamp are removed.
--  * 'b': the arrival time goes back by the permits' intervals less the time since the charge (or up to the latest
--    stamp ahead), in which the bucket may have been full without them: never farther than to where it would stand if
--    they had not been taken. Not if the rate was changed.
--  * 'c', 'f': the count of that sub-window goes down, unless the window was changed since.
-- Not to be repeated: a second time takes what other calls of the same stamp (microsecond, sub-window)
-- or of the same bucket have charged.
-- One message: 'ratelimit.forget ', then the keys that were changed, with a line feed between two; no key holds one.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local function give_back_stamps(key, permits, stamp)
  return redis.call('LREM', key, -permits, string.format('%.0f', stamp)) > 0
end

local function give_back_time(key, interval, permits, stamp)
  local state = redis.call('GET', key)
  if not state then
    return false
  end
  local arrival, scale, ahead = string.match(state, '^(%d+)(%d%d%d)(:?%d*)$')
  local steps = math.floor(math.log(interval) / math.log(2) * 20) - tonumber(scale)
  local latest = tonumber(string.sub(ahead, 2)) or 0
  local back = permits * interval - math.max(0, math.max(now, latest) - stamp)
  arrival = tonumber(arrival)
  if math.abs(steps) > 1 or back <= 0 or arrival <= now then
    return false
  end
  arrival = arrival - back
  if arrival > now then
    local lower = string.format('%.0f', arrival) .. scale .. ahead
    redis.call('SET', key, lower, 'PX', math.ceil((arrival - now) / 1000) + 1)
  else
    redis.call('DEL', key)
  end
  return true
end

local function give_back_count(key, length, permits, index)
  local state = redis.call('GET', key)
  if not state then
    return false
  end
  local stored_length, latest = struct.unpack('>dd', state)
  local position = #state - 4 * (math.floor(latest / stored_length) - index)
  if stored_length ~= length or position < 20 or position > #state then
    return false
  end
  local count = struct.unpack('>I4', state, position - 3)
  if count == 0 then
    return false
  end
  local lower = struct.pack('>I4', math.max(0, count - permits))
  redis.call('SETRANGE', key, position - 4, lower)
  return true
end

local channel = ARGV[1]
local changed = {}
for i, key in ipairs(KEYS) do
  local base = 1 + (i - 1) * 5
  local kind, limit, window = ARGV[base + 1], tonumber(ARGV[base + 2]), tonumber(ARGV[base + 3])
  local permits, stamp = tonumber(ARGV[base + 4]), tonumber(ARGV[base + 5])
  local done
  if permits == 0 then
    done = false
  elseif kind == 'w' then
    done = give_back_stamps(key, permits, stamp)
  elseif kind == 'b' then
    done = give_back_time(key, math.ceil(window / limit), permits, stamp)
  else
    done = give_back_count(key, kind == 'c' and math.ceil(window / 10) or window, permits, stamp)
  end
  if done then
    changed[#changed + 1] = key
  end
end
if #changed > 0 then
  redis.pcall('PUBLISH', channel, 'ratelimit.forget ' .. table.concat(changed, '\n'))
end
return {#changed}
