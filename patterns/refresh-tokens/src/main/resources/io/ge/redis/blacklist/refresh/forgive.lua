-- Lets a token be repeated until its successor is used, after its replacement was lost on the way to the caller.
--
-- KEYS  hash of the session
-- ARGV  generation of the token
--       nonce of the successor that it would have got
-- Reply {1 it may, 0 not}
--
-- Invariants
--  * Without effect if the token was not replaced with that nonce: then its successor has another one, or none.
--  * Without effect once the successor was used: its client has it. Without effect on a session that has ended.
--  * It is marked by the end of the session as the time until which it may be repeated: rotate.lua sets another
--    when the successor is used.
--  * Runs also when the memory limit is reached, see rotate.lua. If a write is refused all the same nothing has changed.

local session, generation, nonce = KEYS[1], tonumber(ARGV[1]), ARGV[2]

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local state = redis.call('HMGET', session, 'generation', 'ended', 'ends', 'used' .. ARGV[1])
if state[1] ~= string.format('%.0f', generation + 1) or state[2] or not state[4] then
  return {0}
end
local given, hash = string.match(state[4], '^%d+ (%S+) (%S+)$')
if given ~= nonce or now >= tonumber(state[3]) then
  return {0}
end
redis.call('PEXPIREAT', session, state[3])
redis.call('HSET', session, 'used' .. ARGV[1], state[3] .. ' ' .. given .. ' ' .. hash)
return {1}
