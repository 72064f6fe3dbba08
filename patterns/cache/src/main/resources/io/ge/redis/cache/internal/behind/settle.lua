-- Records the outcome of changes that the holder of a partition was given.
--
-- KEYS  changes, queue, book, due, lease and dead of the partition; then for each change the keys of its entry: entry,
--       writers, waiters, and any that go with a lease of a reader; all with the hash tag of the partition
-- ARGV  token and channel of the holder with a space between, length of the lease in milliseconds, how long in
--       milliseconds the writers of an entry are remembered, how long an empty partition is, how long dead changes are
--       kept, how many keys an entry has; then for each change: 'done', 'retry' or 'dead', key, version, mention in the
--       queue or '', how often its writing has failed, then '' or for 'retry' milliseconds until it is tried again or
--       for 'dead' the reason
-- Reply {'settled', number of keys that wait, milliseconds until the next key is due or -1} | {'lost'}
--
-- Invariants
--  * Only the holder settles. An instance that has lost its lease changes nothing.
--  * A change goes only if no newer one of its key has come; if one has, it is mentioned in the queue, and only the
--    older one's mention and times go.
--  * Readers whose view of the database may be older than the change do not fill the entry, as after any writer; see
--    fill.lua. The entry of a change that was given up goes, since the database does not have it.
--  * A dead change is kept for its time, and goes when the next one of the partition comes after that.
-- May be repeated. See append.lua for the state of a partition. The first write removes, so it succeeds without memory.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local changes, queue, book, due, lease, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local mine, hold, memory, empty, kept, width = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])

if redis.call('GET', lease) ~= mine then
  return {'lost'}
end
redis.call('HDEL', book, '')

local function remember(writers)
  redis.call('HSET', writers, 'r', string.format('%.0f', now))
  redis.call('PEXPIRE', writers, memory)
end

local function remove(first)
  redis.call('DEL', KEYS[first])
  for i = first + 3, first + width - 1 do
    redis.call('DEL', KEYS[i])
  end
  wake(KEYS[first + 2])
end

local position = 7
for i = 7, #ARGV, 6 do
  local outcome, key, version, id, times, detail = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
  if id ~= '' then
    redis.call('XACK', queue, 'store', id)
    redis.call('XDEL', queue, id)
  end
  local found = redis.call('HGET', changes, key)
  local newest = found and string.sub(found, 1, #version + 1) == version .. ' '
  if newest and outcome == 'retry' then
    redis.call('HSET', book, 'a:' .. key, version .. ' ' .. times)
    redis.call('ZADD', due, string.format('%.0f', now + tonumber(detail) * 1000), key)
  else
    redis.call('ZREM', due, key)
    redis.call('HDEL', book, 'a:' .. key)
    if newest then
      redis.call('HDEL', changes, key)
    end
    if newest and outcome == 'dead' then
      local oldest = string.format('%.0f', math.max(0, math.floor(now / 1000) - tonumber(kept)))
      redis.call('XADD', dead, 'MINID', oldest, '*', 'key', key, 'version', version, 'value', string.sub(found, #version + 2),
        'reason', detail, 'attempts', times)
      redis.call('PEXPIRE', dead, kept)
      remove(position)
    end
    remember(KEYS[position + 1])
  end
  position = position + width
end

local waiting = redis.call('HLEN', changes)
if waiting == 0 then
  redis.call('PEXPIRE', queue, empty)
  redis.call('PEXPIRE', book, empty)
end
redis.call('PEXPIRE', lease, hold)
local later = redis.call('ZRANGE', due, 0, 0, 'WITHSCORES')
return {'settled', waiting, later[2] and math.max(0, math.ceil((tonumber(later[2]) - now) / 1000)) or -1}
