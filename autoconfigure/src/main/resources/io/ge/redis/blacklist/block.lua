-- Blocks a subject for a time.
--
-- KEYS  the subject's row
-- ARGV  for how long, in ms
-- Reply {how long the row stands in ms}
--
-- Invariants
--  * The row stands as long as the longest call asked for.
--  * Runs also when the memory limit is reached, see revoke.lua.
-- If the SET is refused all the same, a row that stood before stands longer.

local ttl = tonumber(ARGV[1])

local present = redis.call('PTTL', KEYS[1])
if present >= ttl then
  return {present}
end
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', ttl))
redis.call('SET', KEYS[1], '1', 'PX', string.format('%.0f', ttl))
return {ttl}
