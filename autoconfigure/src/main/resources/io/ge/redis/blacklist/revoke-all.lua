-- Revokes every token of a subject that was issued until now.
--
-- KEYS  the subject's not-before row
-- ARGV  how long the row is needed in ms: the longest life of any token and the allowances for clocks
-- Reply {not-before in microseconds of this server's clock}
--
-- Invariants
--  * Not-before never goes back while the row stands, also where the clock does.
--  * It is not below any stamp given out by issue-stamp.lua, which are at most the clock, or the previous not-before
--    plus one. Only a clock that steps back can break this, as that of a new primary may.
--  * Runs also when the memory limit is reached, see revoke.lua.
-- If the SET is refused all the same, the row keeps its not-before and stands longer.

local ttl = tonumber(ARGV[1])

local clock = redis.call('TIME') -- the only reading of time
local not_before = clock[1] * 1000000 + clock[2]

local present = tonumber(redis.call('GET', KEYS[1]) or '')
if present and present >= not_before then
  not_before = present + 1
end
ttl = math.max(ttl, redis.call('PTTL', KEYS[1]))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', ttl))
redis.call('SET', KEYS[1], string.format('%.0f', not_before), 'PX', string.format('%.0f', ttl))
return {not_before}
