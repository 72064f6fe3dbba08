-- Decides on one call against all its limits of one slot, and takes the permits of each if all allow it.
--
-- KEYS  one state per limit, all in one slot, none twice
-- ARGV  further permits per limit (0 none) for other calls that wait for this reply, each of the same cost, which are
--       decided as if they came right after; then per limit seven values: kind 'w' sliding window, 'b' token bucket,
--       'c' sliding window counter or 'f' fixed window; limit; window in microseconds; burst ('b', else 0);
--       cost (0 looks, is never refused); longest wait in microseconds; 1 if the limit is a shadow, else 0
-- Reply {1 allowed | 0 denied, server time, time from which the call may proceed, further permits taken of each limit,
--       then per limit four values:
--       permits left after this decision; time until the next one comes back, 0 if none is missing;
--       time until this limit no longer refuses the call, its longest wait taken off, 0 if it does not refuse; if the
--       call is allowed and not all others are, the same time of the first other call that is refused;
--       the stamp of the charge for refund.lua, 0 if not charged}; times in microseconds.
--
-- Invariants
--  * Check all, then write all: a denied call and a cost of 0 write nothing, so they neither count nor prolong. The one
--    exception: a denied call moves a bucket to a changed rate, burst or clock, so that these hold from then on.
--  * A permit counts at the time at which the call may proceed. Every later decision sees it, so no call overtakes a
--    waiting one. Other calls take only whole costs of what is free now, and so do not wait.
--  * 'w' is a list of stamps, oldest first. In no window of that length are more than 'limit' permits used.
--  * 'b' is the theoretical arrival time (GCRA), when the bucket would be full again, then three digits for the scale
--    of the interval, then ':' and the latest stamp if it is ahead. The interval is rounded up to a microsecond; in any
--    time t at most burst + t / interval permits are used. After a change of rate the permits still missing are the
--    same number (within 7 %) at the new interval; after a change of burst or clock no more than all are missing.
--  * 'c' and 'f' count in sub-windows: '>dd' length of a sub-window, time until which the last one was used; then four
--    bytes per sub-window, the last of them for this time. 'c' admits in sub-window j if the counts from j - 10 on
--    leave room: a window touches no more than these. 'f' has one sub-window. After a change of the window what was
--    counted moves to the end of its old sub-window, the last one to its last use: never too early.
--  * A clock that steps back by d (failover) admits nothing more, and denies up to d longer; only 'f' begins a window
--    anew that is shown again. What lies more than an hour ahead was written by a clock that was wrong, and is
--    forgotten; so no call waits for longer than an hour, nor than 600 sub-windows where 'c' or 'f' take part.
--  * A shadow limit neither denies nor delays the call; it is charged unless it refuses.
--  * Every key has a TTL: until its state says nothing any more, so at most the window (a sub-window more for 'c', the
--    time to fill up for 'b') after the latest stamp, and two milliseconds.
-- If the first write is refused (memory, replica), nothing is charged; after it Redis refuses none of the same script.

local MILLISECOND = 1000
local AHEAD = 3600 * 1000 * MILLISECOND -- farther in the future nothing is charged
local MOST_SUBWINDOWS = 600 -- nor farther than so many sub-windows
local SMALL_STEP = 1000 * MILLISECOND -- so little ahead, a call counts as the latest: the list need not be rewritten
local LARGEST_COUNT = 4294967295
local LIMIT_FIELDS = 7

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local function integer(number)
  return string.format('%.0f', number)
end

-- A millisecond more, since a script's expiry may begin before its reading of the clock
local function ttl(till)
  return math.max(1, math.ceil((till - now) / MILLISECOND)) + 1
end

-- A kind is made only where it is needed, since making all of them takes as long as a simple decision.

-- Sliding window: 'w'

local function sliding_window()
  local window = {}

  local function element(limit, index)
    return tonumber(redis.call('LINDEX', limit.key, index))
  end

  -- By doubling steps, then halving: most often it is the first or second. There is one
  local function first_after(limit, time)
    local low, high = 0, 0
    while high < limit.size - 1 and element(limit, high) <= time do
      low = high + 1
      high = math.min(limit.size - 1, high * 2 + 1)
    end
    while low < high do
      local middle = math.floor((low + high) / 2)
      if element(limit, middle) <= time then
        low = middle + 1
      else
        high = middle
      end
    end
    return low
  end

  function window.read(limit)
    limit.capacity, limit.reach = limit.limit, AHEAD
    limit.size = redis.call('LLEN', limit.key)
    limit.last = limit.size > 0 and element(limit, -1) or 0
    if limit.last + limit.window <= now or limit.last > now + AHEAD then
      limit.expired, limit.last = limit.size, 0
    else
      limit.expired = first_after(limit, now - limit.window)
    end
    limit.available = limit.limit - (limit.size - limit.expired)
  end

  function window.earliest(limit)
    return element(limit, limit.size + limit.cost - limit.limit - 1) + limit.window
  end

  local function append(key, stamps)
    for first = 1, #stamps, 1000 do
      redis.call('RPUSH', key, unpack(stamps, first, math.min(#stamps, first + 999)))
    end
  end

  local function push(key, stamp, count)
    if count == 1 then
      redis.call('RPUSH', key, integer(stamp))
      return
    end
    local stamps = {}
    for i = 1, count do
      stamps[i] = integer(stamp)
    end
    append(key, stamps)
  end

  -- Takes the later ones off and puts them back, since each insertion would search the list anew
  local function insert(limit, stamp, count)
    local index = first_after(limit, stamp)
    local later = redis.call('LRANGE', limit.key, index, -1)
    if index > 0 then
      redis.call('LTRIM', limit.key, 0, index - 1)
    else
      redis.call('DEL', limit.key)
    end
    push(limit.key, stamp, count)
    append(limit.key, later)
  end

  function window.charge(limit, time, count)
    if limit.expired == limit.size and limit.size > 0 then
      redis.call('DEL', limit.key)
    elseif limit.expired > 0 then
      redis.call('LTRIM', limit.key, limit.expired, -1)
    end
    limit.size, limit.expired = limit.size - limit.expired, 0
    local stamp = time
    if limit.last > time + SMALL_STEP then -- a call waits far ahead
      insert(limit, time, count)
    else
      stamp = math.max(time, limit.last)
      limit.last = stamp
      push(limit.key, stamp, count)
    end
    limit.size = limit.size + count
    redis.call('PEXPIRE', limit.key, ttl(limit.last + limit.window))
    limit.available = limit.limit - limit.size
    return stamp
  end

  function window.restored(limit)
    local index = math.max(limit.expired, limit.size - limit.limit)
    local stamp = index < limit.size and element(limit, index)
    return stamp and stamp + limit.window - now or 0 -- if the server stood still, it has been deleted by PEXPIRE
  end

  return window
end

-- Token bucket: 'b'

local function token_bucket()
  local bucket = {}

  -- 20 per octave, so that no interval needs more than three digits
  local function scale(interval)
    return math.floor(math.log(interval) / math.log(2) * 20)
  end

  local function available(limit)
    return math.floor((limit.tolerance - (limit.arrival - now)) / limit.interval)
  end

  function bucket.read(limit)
    limit.capacity, limit.reach = limit.burst, AHEAD
    limit.interval = math.ceil(limit.window / limit.limit)
    limit.scale = scale(limit.interval)
    limit.tolerance = limit.burst * limit.interval
    limit.arrival, limit.ahead = now, 0
    local state = redis.call('GET', limit.key)
    if state then
      local arrival, old_scale, ahead = string.match(state, '^(%d+)(%d%d%d):?(%d*)$')
      local missing = math.max(0, tonumber(arrival) - now)
      local steps = limit.scale - tonumber(old_scale)
      if math.abs(steps) > 1 then -- one may be the logarithm of another machine
        missing = math.ceil(missing * 2 ^ (steps / 20))
        limit.moved = true
      end
      limit.ahead = tonumber(ahead) or 0
      if limit.ahead > now + AHEAD then
        limit.ahead = 0
      end
      local most = limit.tolerance + math.max(0, limit.ahead - now)
      if missing > most then
        missing = most
        limit.moved = true
      end
      limit.arrival = now + missing
    end
    limit.available = available(limit)
  end

  function bucket.earliest(limit)
    return limit.arrival + limit.cost * limit.interval - limit.tolerance
  end

  function bucket.keep(limit)
    local state = integer(limit.arrival) .. string.format('%03d', limit.scale)
    if limit.ahead > now then
      state = state .. ':' .. integer(limit.ahead)
    end
    redis.call('SET', limit.key, state, 'PX', ttl(limit.arrival))
  end

  function bucket.charge(limit, time, count)
    limit.ahead = math.max(limit.ahead, time)
    limit.arrival = math.max(limit.arrival, time) + count * limit.interval
    limit.available = available(limit)
    bucket.keep(limit)
    return time
  end

  function bucket.restored(limit)
    if limit.arrival <= now then
      return 0
    end
    return limit.arrival - limit.tolerance + (math.max(0, limit.available) + 1) * limit.interval - now
  end

  return bucket
end

-- Sub-windows: 'c' and 'f'

local function sub_windows()
  local counter = {}

  local function add(limit, index, count)
    limit.counts[index] = (limit.counts[index] or 0) + count
    limit.first = math.min(limit.first or index, index)
    limit.last = math.max(limit.last or index, index)
    limit.used = limit.used + count
  end

  function counter.read(limit)
    limit.past = limit.kind == 'c' and 10 or 0
    limit.length = math.ceil(limit.window / math.max(1, limit.past))
    limit.current = math.floor(now / limit.length)
    limit.capacity, limit.reach = limit.limit, math.min(AHEAD, MOST_SUBWINDOWS * limit.length)
    limit.counts, limit.used, limit.latest = {}, 0, 0
    local state = redis.call('GET', limit.key)
    if state then
      local size = math.ceil((#state - 16) / 4) -- half a count is none of ours: it cannot be unpacked
      local fields = {struct.unpack('>dd' .. string.rep('I4', size), state)}
      local length, latest = fields[1], fields[2]
      local last = math.floor(latest / length)
      for i = 1, latest <= now + AHEAD and size or 0 do
        local index = last - size + i
        if length ~= limit.length then
          local till = i == size and latest or (index + 1) * length - 1
          index = math.min(math.floor(till / limit.length), limit.current + MOST_SUBWINDOWS)
        end
        if index >= limit.current - limit.past then
          add(limit, index, fields[2 + i])
          limit.latest = latest
        end
      end
    end
    limit.available = limit.limit - limit.used
  end

  -- When the permits that count have become so few
  local function falls_to(limit, bound)
    local used, index = limit.used, limit.first - 1
    while used > bound do
      index = index + 1
      used = used - (limit.counts[index] or 0)
    end
    return (index + limit.past + 1) * limit.length
  end

  function counter.earliest(limit)
    return falls_to(limit, limit.limit - limit.cost)
  end

  function counter.charge(limit, time, count)
    local index = math.floor(time / limit.length)
    if limit.last then
      index = math.max(index, limit.last - MOST_SUBWINDOWS)
    end
    add(limit, index, count)
    limit.available = limit.limit - limit.used
    local latest = math.max(limit.latest, time, limit.last * limit.length)
    latest = math.min(latest, (limit.last + 1) * limit.length - 1)
    local counts = {}
    for i = limit.first, limit.last do
      counts[#counts + 1] = math.min(limit.counts[i] or 0, LARGEST_COUNT)
    end
    local state = struct.pack('>dd' .. string.rep('I4', #counts), limit.length, latest, unpack(counts))
    redis.call('SET', limit.key, state, 'PX', ttl((limit.last + limit.past + 1) * limit.length))
    return index
  end

  function counter.restored(limit)
    return limit.used > 0 and falls_to(limit, math.min(limit.used, limit.limit) - 1) - now or 0
  end

  return counter
end

-- The decision

local MAKERS = {w = sliding_window, b = token_bucket, c = sub_windows, f = sub_windows}
local kinds = {}
local wanted = tonumber(ARGV[1])
local extra = wanted
local limits = {}
local reach = AHEAD
for i, key in ipairs(KEYS) do
  local base = 1 + (i - 1) * LIMIT_FIELDS
  local limit = {
    key = key, kind = ARGV[base + 1], limit = tonumber(ARGV[base + 2]), window = tonumber(ARGV[base + 3]),
    burst = tonumber(ARGV[base + 4]), cost = tonumber(ARGV[base + 5]), wait = tonumber(ARGV[base + 6]),
    shadow = ARGV[base + 7] == '1'
  }
  kinds[limit.kind] = kinds[limit.kind] or MAKERS[limit.kind]()
  kinds[limit.kind].read(limit)
  if not limit.shadow then
    reach = math.min(reach, limit.reach)
  end
  limits[i] = limit
end

local allowed = true
local at = now
for _, limit in ipairs(limits) do
  limit.earliest, limit.refusal = now, 0
  if limit.cost > limit.capacity then
    limit.refusal = limit.window -- never, which only a shadow limit is asked
  elseif limit.cost > limit.available and limit.cost > 0 then
    limit.earliest = kinds[limit.kind].earliest(limit)
    local patience = math.min(limit.wait, limit.shadow and limit.reach or reach)
    limit.refusal = math.max(0, limit.earliest - now - patience)
  end
  if limit.refusal > 0 then
    allowed = allowed and limit.shadow
  elseif not limit.shadow then
    at = math.max(at, limit.earliest)
  end
  extra = math.min(extra, limit.cost > 0 and limit.refusal == 0 and limit.available - limit.cost or 0)
end
if not allowed then
  at = now
end
extra = allowed and at == now and extra > 0 and extra - extra % limits[1].cost or 0
local refuses_others = allowed and at == now and extra < wanted

local reply = {allowed and 1 or 0, now, at, extra}
for _, limit in ipairs(limits) do
  local stamp = 0
  if allowed and limit.cost > 0 and limit.refusal == 0 then
    local time = math.max(limit.earliest, math.min(at, now + limit.reach))
    stamp = kinds[limit.kind].charge(limit, time, limit.cost + extra)
    if refuses_others and limit.available < limit.cost then
      limit.refusal = kinds[limit.kind].earliest(limit) - now
    end
  elseif limit.moved and limit.cost > 0 then
    kinds[limit.kind].keep(limit)
  end
  reply[#reply + 1] = math.max(0, limit.available)
  reply[#reply + 1] = kinds[limit.kind].restored(limit)
  reply[#reply + 1] = limit.refusal
  reply[#reply + 1] = stamp
end
return reply
