-- Extends the leases of several shares of locks.
--
-- KEYS  for each share the lock, its holders and their tokens; on a Cluster all of one slot
-- ARGV  instance (its channel), then for each share its handle and its lease in ms
-- Reply for each share 1 if its lease runs anew, 0 if it is not this handle's any more
--
-- Invariant: extends what the handles have and creates nothing; what has ended stays so, and a lock that does not say
-- that it is shared has no shares (state: see share.lua). Works without memory: the first write needs none.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local LINGERS = 2000 -- as long as a grant lasts, see share.lua

local instance = ARGV[1]
local extended = {}

for i = 1, #KEYS / 3 do
  local lock, holders, tokens = KEYS[i * 3 - 2], KEYS[i * 3 - 1], KEYS[i * 3]
  local mine, lease = instance .. ' ' .. ARGV[i * 2], tonumber(ARGV[i * 2 + 1])
  local held = redis.call('GET', lock)
  local ends = held and string.sub(held, 1, 2) == '* ' and redis.call('ZSCORE', holders, mine)
  extended[i] = 0
  if ends and tonumber(ends) > now then
    redis.call('PEXPIRE', holders, lease)
    redis.call('ZADD', holders, 'XX', string.format('%.0f', now + lease * 1000), mine)
    local last = redis.call('ZREVRANGE', holders, 0, 0, 'WITHSCORES')[2]
    local millis = string.format('%.0f', math.ceil((last - now) / 1000) + LINGERS)
    redis.call('PEXPIRE', lock, millis)
    redis.call('PEXPIRE', holders, millis)
    redis.call('PEXPIRE', tokens, millis)
    extended[i] = 1
  end
end
return extended
