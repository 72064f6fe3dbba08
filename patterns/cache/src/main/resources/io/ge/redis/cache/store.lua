-- Stores the value of a writer that did not announce itself, after its change is committed.
--
-- KEYS  entry, writers, waiters, refresh; all with the hash tag of the entry
-- ARGV  value, TTL in milliseconds or 0 for none, how long in milliseconds the writers of an entry are remembered, version
--       of the value, or empty for none, news of the entry ("channel message") or '' if nobody keeps it in memory
-- Reply {'published'} | {'superseded'}
--
-- Invariants
--  * Nothing tells in which order such writers have committed, but a version: only with a higher one than any before,
--    as far back as writers are remembered, a value is stored. In every other case the entry is removed: what stands
--    may be older, if versions are the same or begin anew.
--  * Any lease on the entry is gone, and every ticket given so far is worthless, as in invalidate.lua.
--  * Whoever asks for the entry after the news does not find what was there before.
-- See intent.lua for the hash of the writers. The removal comes first: after it servers let a script write also without
-- memory. If a write is refused all the same, the entry is gone and the call fails.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local entry, writers, waiters, refresh = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local value, ttl, memory, version, news = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]

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

local known = redis.call('HMGET', writers, 'n', 'v')
local newest = not version or version > tonumber(known[2] or '-1')
redis.call('DEL', entry, refresh)
tell()
local noted = redis.pcall('HSET', writers, 'a', known[1] or '0', 'r', string.format('%.0f', now))
if version and newest and not (type(noted) == 'table' and noted.err) then
  noted = redis.pcall('HSET', writers, 'v', string.format('%.0f', version))
end
if type(noted) == 'table' and noted.err then
  redis.call('DEL', writers)
else
  redis.call('PEXPIRE', writers, memory)
end
local stored = {}
if not newest then
  wake()
  return {'superseded'}
elseif ttl == '0' then
  stored = redis.pcall('SET', entry, value)
else
  stored = redis.pcall('SET', entry, value, 'PX', ttl)
end
wake()
if stored.err then
  return stored
end
return {'published'}
