-- Stores what a reader has loaded, if nothing has happened since to its lease, or to its leave to refresh a value.
--
-- KEYS  entry, writers, waiters, refresh; all with the hash tag of the entry
-- ARGV  token of the reader, length of its lease in milliseconds, value, TTL in milliseconds or 0 for none,
--       age in milliseconds of the transaction in which it loads, taken when it had the lease, or -1 for none,
--       how long in milliseconds the writers of an entry are remembered, news of the entry ("channel message") or '' if
--       nobody keeps it in memory
-- Reply {'filled'} | {'lost'} | {'snapshot'}
--
-- Invariants
--  * Only the holder of the lease writes, or who was given the refresh; so whatever took that from it (a writer, an
--    eviction, its end) wins.
--  * A reader in a transaction may see the database as it was when the transaction began. It may fill only if no
--    writer was at work at that time or since, as far back as writers are remembered.
--  * Who keeps the value in memory that was refreshed is told.
--  * Whoever waits is woken, unless the reply is 'lost': then it waits for somebody else.
--  * By an open lease, which begins with '~', several readers load. Who comes too late with a value that stands already
--    has filled it, too: the same in byte 2 to 6, type and flags, and from byte 23 on, after load time and stamp.
-- What was to be refreshed stays if it is not replaced. If the value cannot be written for lack of memory the lease is
-- given up, the waiters are woken and the call fails.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local entry, writers, waiters, refresh = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local token, lease, value, ttl = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local age, memory, news = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]

local function wake()
  for _, waker in ipairs(redis.call('SMEMBERS', waiters)) do
    local channel, message = string.match(waker, '^(%S+) (.*)$')
    redis.pcall('PUBLISH', channel, message)
  end
  redis.call('DEL', waiters)
end

local function tell()
  local channel, message = string.match(news, '^(%S+) (.*)$')
  if channel then
    redis.pcall('PUBLISH', channel, message)
  end
end

local function store()
  if ttl == '0' then
    return redis.pcall('SET', entry, value)
  end
  return redis.pcall('SET', entry, value, 'PX', ttl)
end

local function snapshot_is_old(held)
  if age < 0 then
    return false
  end
  if age >= memory then
    return true
  end
  local granted = now - (lease - math.max(0, redis.call('PTTL', held)) + 1) * 1000
  local began = granted - age * 1000
  local fields = redis.call('HGETALL', writers)
  for i = 1, #fields, 2 do
    local time = tonumber(fields[i + 1])
    if string.sub(fields[i], 1, 2) == 't:' then
      time = tonumber(string.match(fields[i + 1], '^%d+ (%d+)'))
    end
    if fields[i] ~= 'v' and time >= began then
      return true
    end
  end
  return false
end

local held = entry
if redis.call('GET', entry) ~= 'L' .. token then
  if redis.call('GET', refresh) ~= token then
    local found = redis.call('GET', entry)
    local stands = found and string.sub(token, 1, 1) == '~' and string.sub(found, 1, 6) == string.sub(value, 1, 6)
      and string.sub(found, 23) == string.sub(value, 23)
    return {stands and 'filled' or 'lost'}
  end
  held = refresh
end
local reply = {'filled'}
if snapshot_is_old(held) then
  reply = {'snapshot'}
  redis.call('DEL', held)
else
  if held == refresh then
    redis.call('DEL', refresh)
  end
  local stored = store()
  if stored.err then
    if held == entry then
      redis.call('DEL', entry)
    end
    reply = stored
  elseif held == refresh then
    tell()
  end
end
wake()
return reply
