-- Functions for the scripts of a geo index, put in front of them.
--
-- KEYS  of those scripts: index
-- ARGV  none of its own
-- Reply none
--
-- Invariant: at most 100 members are removed, each first from the index.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local index, expiry = KEYS[1], KEYS[1] .. ':expiry'

local function is_expired(member)
  local expires = redis.call('ZSCORE', expiry, member)
  return expires and tonumber(expires) <= now
end

local function remove_expired()
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', expiry, '-inf', string.format('%.0f', now), 'LIMIT', 0, 100)) do
    redis.call('ZREM', index, member)
    redis.call('ZREM', expiry, member)
  end
end
