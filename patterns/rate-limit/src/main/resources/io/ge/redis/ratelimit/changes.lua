-- Reads all live changes of limits.
--
-- KEYS  the hash of all live changes
-- ARGV  TTL of the hash in milliseconds, first letter of the fields that are blocks
-- Reply {field, value, field, value, ...}; the value of a block is the time that remains, in microseconds
--
-- Invariants
--  * Durations are replied, never instants.
--  * Blocks that have ended are removed, so the hash does not grow with them.
--  * Each reading renews the TTL: changes live as long as an instance reads them now and then.

local hash = KEYS[1]
local ttl, block = ARGV[1], ARGV[2]
local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local reply = {}
local ended = {}
local stored = redis.call('HGETALL', hash)
for i = 1, #stored, 2 do
  local field, value = stored[i], stored[i + 1]
  if string.sub(field, 1, 1) == block then
    local rest = tonumber(value) - now
    if rest > 0 then
      reply[#reply + 1] = field
      reply[#reply + 1] = string.format('%.0f', rest)
    else
      ended[#ended + 1] = field
    end
  else
    reply[#reply + 1] = field
    reply[#reply + 1] = value
  end
end
for _, field in ipairs(ended) do
  redis.call('HDEL', hash, field)
end
if #reply > 0 then
  redis.call('PEXPIRE', hash, ttl)
end
return reply
