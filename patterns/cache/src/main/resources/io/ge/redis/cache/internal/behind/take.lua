-- Gives the holder of a partition the next changes to be written, and makes the caller the holder if there is none.
--
-- KEYS  changes, queue, book, due and lease of the partition; all with its hash tag
-- ARGV  token and channel of the caller with a space between, length of the lease in milliseconds, how many changes
-- Reply {'idle'} | {'busy', rest of the other one's lease in milliseconds, number of keys that wait} |
--       {'taken', number of keys that wait, milliseconds until the next key is due or -1, 1 if there may be more to give
--       now or 0, then for each change: key, version, how often its writing has failed, change, its mention in the queue
--       or ''}
--
-- Invariants
--  * Only the holder is given changes, so at any time one caller at most writes those of a partition, as long as it
--    stops when its lease is over. What its predecessor was given and has not settled is given to it again.
--  * Of each key only the newest change is given, with one mention; others go.
--  * The reply is bounded: no change is added to LARGE bytes of them or more, but at least one is given whatever its
--    size. So is the work: after STALE mentions of keys that have no change the caller is to ask again.
--  * Writes nothing if nothing waits.
-- See append.lua for the state of a partition. The first write removes, which servers let a script do without memory,
-- and then all others: what is to be written can be taken when memory is full.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local changes, queue, book, due, lease = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local mine, hold, count = ARGV[1], ARGV[2], tonumber(ARGV[3])

local waiting = redis.call('HLEN', changes)
if waiting == 0 then
  return {'idle'}
end
local holder = redis.call('GET', lease)
if holder and holder ~= mine then
  return {'busy', math.max(1, redis.call('PTTL', lease)), waiting}
end
redis.call('HDEL', book, '')
redis.call('SET', lease, mine, 'PX', hold)

local LARGE, STALE, CHUNK = 1000000, 1000, 10
local order, taken, size, stale = {}, {}, 0, 0

local function full()
  return #order >= count or size >= LARGE or stale >= STALE
end

local function mentions(from)
  local number = math.min(CHUNK, count - #order)
  local read = {'XREADGROUP', 'GROUP', 'store', 'holder', 'COUNT', number, 'STREAMS', queue, from}
  local found = redis.pcall(unpack(read))
  if type(found) == 'table' and found.err then
    redis.call('XGROUP', 'CREATE', queue, 'store', '0', 'MKSTREAM')
    found = redis.call(unpack(read))
  end
  return found and found[1] and found[1][2] or {}
end

local function take(key)
  local found = redis.call('HGET', changes, key)
  if not found then
    return nil
  end
  local space = string.find(found, ' ', 1, true)
  local version = string.sub(found, 1, space - 1)
  local failed, times = string.match(redis.call('HGET', book, 'a:' .. key) or '', '^(%d+) (%d+)$')
  taken[key] = {version, failed == version and times or '0', string.sub(found, space + 1), ''}
  order[#order + 1] = key
  size = size + #key + #found
  return taken[key]
end

local function take_mentioned(id, key)
  local change = key and (taken[key] or take(key))
  if change and change[4] == '' then
    change[4] = id
  else
    redis.call('XACK', queue, 'store', id)
    redis.call('XDEL', queue, id)
    stale = stale + 1
  end
end

-- Mentions that are read and not given stay delivered, and are the first to be read the next time
local function take_all(from)
  while not full() do
    local found = mentions(from)
    if #found == 0 then
      return
    end
    for _, mention in ipairs(found) do
      local id, key = mention[1], mention[2] and mention[2][2]
      if from == '>' and key then
        redis.call('HDEL', book, 'q:' .. key)
      end
      if not full() then
        take_mentioned(id, key)
      end
    end
    if from ~= '>' then
      from = found[#found][1]
    end
  end
end

for _, key in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', string.format('%.0f', now), 'LIMIT', 0, count)) do
  if not full() and not take(key) then
    redis.call('ZREM', due, key)
  end
end
take_all('0')
take_all('>')

if #order == 0 and redis.call('XLEN', queue) == 0 and redis.call('ZCARD', due) == 0 then
  -- Queue and times were lost alone: everything is mentioned anew
  for _, key in ipairs(redis.call('HKEYS', changes)) do
    redis.call('XADD', queue, '*', 'key', key)
    redis.call('HSET', book, 'q:' .. key, '1')
  end
  take_all('>')
end

local later = redis.call('ZRANGEBYSCORE', due, '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
local reply = {'taken', waiting, later[2] and math.ceil((tonumber(later[2]) - now) / 1000) or -1,
  full() and 1 or 0}
for _, key in ipairs(order) do
  local change = taken[key]
  reply[#reply + 1] = key
  reply[#reply + 1] = change[1]
  reply[#reply + 1] = change[2]
  reply[#reply + 1] = change[3]
  reply[#reply + 1] = change[4]
end
return reply
