-- Begins a session of refresh tokens.
--
-- KEYS  hash of the session
-- ARGV  hash of its first token
--       for how long the session lasts in ms
--       issue stamp of the login, subject, issuer or '', client or ''
-- Reply {for how long it lasts in ms}
--
-- Invariants
--  * The key ends when the session ends. Nothing prolongs either.
--  * A session that there is already is left as it is.
-- If the second write is refused the key exists for as long as the session would have, without any known token.

local session = KEYS[1]
local first, lifetime, stamp, subject, issuer, client = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]

local clock = redis.call('TIME') -- the only reading of time
local ends = string.format('%.0f', clock[1] * 1000 + math.floor(clock[2] / 1000) + lifetime)

if redis.call('HSETNX', session, 'ends', ends) == 1 then
  redis.call('PEXPIREAT', session, ends)
  redis.call('HSET', session, 'generation', '0', 'latest', first, 'stamp', stamp, 'subject', subject, 'issuer', issuer,
    'client', client, 'oldest', '0')
end
return {tonumber(lifetime)}
