-- Takes a change of a cache that is written behind: the entry has the new value from here on, and the change waits for
-- its store.
--
-- KEYS  changes, queue, book and lease of the partition; then the keys of the entry: entry, writers, waiters, and any
--       that go with a lease of a reader; all with the hash tag of the partition
-- ARGV  key, change, value of the entry or '' for none, its TTL in milliseconds or 0 for none, how many keys may wait
--       in this partition, highest version that the caller has seen in this partition, channel to wake if the partition
--       has no holder, message
-- Reply {'appended', version} | {'full', number of keys that wait}
--
-- Of a partition there are
--   changes  hash of key -> version, a space, change: the newest one of each key that its store has not confirmed
--   queue    stream of the keys that wait, read by the one consumer of its one group; a key is mentioned once until it
--            is delivered, so a key that is written often costs no more than one that is not
--   book     hash: 'v' the last version; 'q:key' where the key is mentioned and not delivered; 'a:key' the version
--            whose writing has failed, a space, and how often
--   due      sorted set of the keys whose writing has failed, by the time in microseconds at which it is tried again
--   lease    the holder: its token, a space, its channel
--   dead     stream of the changes that were given up
--
-- Invariants
--  * A key that has a change is mentioned in the queue, or is due, or is both. It has no change that is not newer than
--    all of its earlier ones.
--  * Versions rise in a partition, also after all of it was lost: they are server times in microseconds or higher.
--  * A change outlives its entry, so a reader that finds none asks for the change before it asks the database.
--  * The lease of a reader goes: what it loads may be older.
-- The change is written first. If that is refused for lack of memory, nothing has happened and the call fails.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local changes, queue, book, lease, entry, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[7]
local key, change, value, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local bound, seen, channel, message = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8]

local waiting = redis.call('HLEN', changes)
if waiting >= bound and redis.call('HEXISTS', changes, key) == 0 then
  return {'full', waiting}
end

local last = tonumber(redis.call('HGET', book, 'v') or '0')
local version = string.format('%.0f', math.max(last + 1, seen + 1, now))
redis.call('HSET', changes, key, version .. ' ' .. change)
local idle = waiting == 0 or redis.call('XLEN', queue) == 0
if redis.call('HEXISTS', book, 'q:' .. key) == 0 then
  redis.call('XADD', queue, '*', 'key', key)
end
redis.call('HSET', book, 'v', version, 'q:' .. key, '1')
redis.call('PERSIST', queue)
redis.call('PERSIST', book)

for i = 8, #KEYS do
  redis.call('DEL', KEYS[i])
end
if value == '' then
  redis.call('DEL', entry)
elseif ttl == '0' then
  redis.call('SET', entry, value)
else
  redis.call('SET', entry, value, 'PX', ttl)
end
wake(waiters)
if idle then
  local holder = redis.call('GET', lease)
  redis.pcall('PUBLISH', holder and string.match(holder, ' (.*)$') or channel, message)
end
return {'appended', version}
