-- Ends a session of refresh tokens, as at a logout.
--
-- KEYS  hash of the session
-- ARGV  none
-- Reply {0} unknown, or {4 revoked; 1 if this call ended the session, else 0; for how long it would have lasted in ms; issue
--       stamp of the login, subject, issuer or '', client or ''}
--
-- Invariants
--  * No token of the session is replaced or repeated any more. Its key exists until the session would have lapsed.
--  * A session that was ended by a token that was used before stays so.
--  * Runs also when the memory limit is reached, see rotate.lua. If a write is refused all the same nothing has changed.

local session = KEYS[1]

local UNKNOWN, REVOKED = 0, 4

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local state = redis.call('HMGET', session, 'ends', 'stamp', 'subject', 'issuer', 'client')
local ends = tonumber(state[1] or '')
if not ends or now >= ends or not state[2] then
  return {UNKNOWN}
end
redis.call('PEXPIREAT', session, state[1])
local ended_now = redis.call('HSETNX', session, 'ended', REVOKED)
return {REVOKED, ended_now, ends - now, state[2], state[3], state[4], state[5]}
