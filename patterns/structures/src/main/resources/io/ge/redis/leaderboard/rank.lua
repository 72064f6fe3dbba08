-- Returns a member alone.
--
-- KEYS  board
-- ARGV  window, FIRST | SHARED, member
-- Reply {score, rank, members of the board} | {} if there is no such member
--
-- Invariant, see submit.lua for the state: writes nothing.

local clock = ARGV[1] ~= 'none' and redis.call('TIME') or {0} -- the only reading of time
local key = window_key(KEYS[1], ARGV[1], tonumber(clock[1]), 0)
local first, element = ARGV[2] == 'FIRST', ARGV[3]
if first then
  element = redis.call('HGET', key .. ':members', element) or ''
end

local score = redis.call('ZSCORE', key, element)
if not score then
  return {}
end
local before = first and redis.call('ZREVRANK', key, element) or redis.call('ZCOUNT', key, '(' .. score, '+inf')
return {score, before + 1, redis.call('ZCARD', key)}
