-- Releases the lease of a reader that could not load, or its permit to refresh a value, so that another one may.
--
-- KEYS  entry, writers, waiters, refresh; all with the hash tag of the entry
-- ARGV  token of the reader, time in milliseconds for which no reader refreshes the value after a failure, or 0, 1 if
--       it has loaded something that is not to be stored, else 0 or nothing
-- Reply {1 if the reader still held it, else 0}
--
-- Invariant: only the lease or permit of that token is removed; a value, and the lease of another reader, stay. May be
-- repeated. But an expired value is removed if its replacement is not to be stored: it must not be returned instead of
-- that. A failure counts also if it took longer than the lease: a value that no reader refreshes is then not refreshed
-- for a while. Removes and publishes first, so it succeeds without memory: then the next reader may refresh at once.

local entry, waiters, refresh, token, rest = KEYS[1], KEYS[3], KEYS[4], ARGV[1], ARGV[2]
local discard = ARGV[3] == '1'

-- The time for which a value is kept beyond its expiry is in its bytes 11 to 14
local function has_expired()
  local found = redis.call('GET', entry)
  if not found or string.sub(found, 1, 1) == 'L' then
    return false
  end
  local a, b, c, d = string.byte(found, 11, 14)
  local ttl = redis.call('PTTL', entry)
  return d and ttl >= 0 and ttl <= ((a * 256 + b) * 256 + c) * 256 + d
end

if redis.call('GET', entry) == 'L' .. token then
  redis.call('DEL', entry)
elseif redis.call('GET', refresh) == token then
  redis.call('DEL', refresh)
  if discard and has_expired() then
    redis.call('DEL', entry)
  elseif rest ~= '0' then
    redis.pcall('SET', refresh, 'F', 'PX', rest)
  end
else
  local kept = rest ~= '0' and not discard and redis.call('GET', entry)
  if kept and string.sub(kept, 1, 1) ~= 'L' then
    redis.pcall('SET', refresh, 'F', 'NX', 'PX', rest)
  end
  return {0}
end
wake(waiters)
return {1}
