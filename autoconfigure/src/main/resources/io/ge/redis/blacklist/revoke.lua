-- Revokes one token.
--
-- KEYS  the token's row
-- ARGV  exp of the token in ms, allowed clock skew in ms
-- Reply {how long the row stands in ms, 0 if the token had expired and nothing was written}
--
-- Invariants
--  * The row stands at least until exp + skew by this server's clock, to the millisecond.
--  * Repeating the call changes nothing, and an earlier exp than before does not shorten the row.
--  * Runs also when the memory limit is reached: servers from 7.0 on know the flag allow-oom; older ones apply the
--    limit to the first write of a script only, and that is PEXPIRE, which needs no memory.
-- If the SET is refused all the same, a row that stood before stands a little longer.

local expires_at = tonumber(ARGV[1])
local skew = tonumber(ARGV[2])

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local stands_until = expires_at + skew
local ttl = stands_until - now
if ttl <= 0 then
  return {0}
end
local present = redis.call('PTTL', KEYS[1])
if present >= ttl then
  return {present}
end
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', ttl))
redis.call('SET', KEYS[1], '1', 'PXAT', string.format('%.0f', stands_until))
return {ttl}
