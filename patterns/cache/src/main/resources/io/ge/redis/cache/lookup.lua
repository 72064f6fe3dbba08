-- Answers a reader: the value, a lease to load it, a wait for another loader, or a bypass of the cache.
--
-- KEYS  entry, writers, waiters, refresh; all with the hash tag of the entry
-- ARGV  token of the reader, lease in milliseconds, how to wake the reader ("channel message") or '' if it does not
--       wait, first bytes of a value that the reader can read, 1 to replace whatever value there is, 1000 times the
--       load times before its expiry at which the reader would refresh a value, 0 for never, whether the reader uses a
--       value that has expired: 0 no, 1 if it loads, 2 also if it waits
-- Reply {'hit', value, milliseconds to its expiry or -1 if it has none, 1 if the reader is to refresh it}
--       | {'lease', 1 if an unreadable value was replaced else 0, expired value or nil, token of the lease if it is open
--          and was there already, for an open token what fill.lua wants to see of the writers else nil}
--       | {'wait', milliseconds, expired value or nil} | {'stale', expired value}
--       | {'bypass', expired value or nil}
--
-- States of an entry: absent; 'L' and the token of the one reader that may fill it; a value, which never begins with
-- 'L'. A value exists only while no writer is between its intent and its publication. It has its load time and the time
-- for which it is kept beyond its expiry, in milliseconds, in bytes 7 to 10 and 11 to 14. A token that begins with '~'
-- belongs to an open lease, of a reader that may never report the end of its load: no caller waits for it. Other such
-- readers share it, and the first one fills; a reader of the usual kind takes its place. The key 'refresh' holds the
-- token of the one reader that replaces an existing value, expired or not; or 'F' for a while after one has failed.
--
-- Invariants
--  * At most one reader loads, but for those that share an open lease: one that holds the lease, or one that refreshes.
--    A reader that shares a lease loads after it was given, so it fills nothing older than the lease. A repetition with
--    the same token gets the same reply.
--  * No lease is given while a writer is pending: the reader could load a row that is about to change.
--  * An expired value is no hit, and only readers that use it get it.
--  * Writes nothing for a hit that is not to be refreshed. Leases and the list of waiters have a TTL.
-- If a lease cannot be written for lack of memory the call fails and leaves nothing, but a hit is returned, and an
-- expired value is given to readers that bypass the cache. If the waiter cannot be listed it is not woken and asks
-- again when its own time is up.

local entry, writers, waiters, refresh = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local token, lease, waker, readable, replace = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local lead, expired = tonumber(ARGV[6]), ARGV[7]

local function number(text, from)
  local a, b, c, d = string.byte(text, from, from + 3)
  return d and ((a * 256 + b) * 256 + c) * 256 + d or 0
end

local function wait(key, old)
  local left = math.max(1, redis.call('PTTL', key))
  if waker ~= '' then
    redis.pcall('SADD', waiters, waker)
    redis.pcall('PEXPIRE', waiters, left)
  end
  return {'wait', left, expired == '2' and old or false}
end

local function open(holder)
  return string.sub(holder, 1, 1) == '~'
end

local function lease_of(replaced, old, holder)
  local seen = false
  if open(token) then
    local known = redis.call('HMGET', writers, 'n', 'r')
    seen = (known[1] or '') .. ' ' .. (known[2] or '')
  end
  return {'lease', replaced, expired ~= '0' and old or false, holder or false, seen}
end

-- Returns the reply to a reader where another one has the lease; nothing if it replaces that one
local function beside(holder, key, old)
  if not open(holder) then
    return wait(key, old)
  end
  return open(token) and lease_of(0, old, holder) or nil
end

local unreadable = 0
local found = redis.call('GET', entry)
if found and string.sub(found, 1, 1) == 'L' then
  local holder = string.sub(found, 2)
  if holder == token then
    return lease_of(0)
  end
  local reply = beside(holder, entry, false)
  if reply then
    return reply
  end
  found = false
end

local readable_value = found and replace ~= '1' and string.sub(found, 1, #readable) == readable
if readable_value then
  local ttl = redis.call('PTTL', entry)
  local left = ttl < 0 and -1 or math.max(0, ttl - number(found, 11))
  if left ~= 0 then
    local mine = 0
    if left > 0 and left * 1000 <= number(found, 7) * lead then
      local other = redis.call('GET', refresh)
      if other == token or not other and not redis.pcall('SET', refresh, token, 'PX', lease).err then
        mine = 1
      end
    end
    return {'hit', found, left, mine}
  end
end

local refreshing = redis.call('GET', refresh)
if readable_value then
  if refreshing == 'F' then
    if expired ~= '0' then
      return {'stale', found}
    end
  elseif refreshing and refreshing ~= token then
    local reply = beside(refreshing, refresh, found)
    if reply then
      return reply
    end
  end
  if redis.pcall('SET', refresh, token, 'PX', lease).err then
    return {'bypass', expired ~= '0' and found or false}
  end
  return lease_of(0, found)
end
if found then
  unreadable = 1
elseif refreshing and refreshing ~= 'F' then
  if refreshing == token then
    return lease_of(0)
  end
  local reply = beside(refreshing, refresh, false)
  if reply then
    return reply
  end
end

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local fields = redis.call('HGETALL', writers)
for i = 1, #fields, 2 do
  if string.sub(fields[i], 1, 2) == 't:' then
    local deadline = tonumber(string.match(fields[i + 1], '^%d+ (%d+)'))
    if deadline > now then
      return {'bypass', false}
    end
  end
end

redis.call('SET', entry, 'L' .. token, 'PX', lease)
if refreshing then
  redis.call('DEL', refresh)
end
return lease_of(unreadable)
