-- Ends a session.
--
-- KEYS  session
-- ARGV  principal that it must have or '', milliseconds that a marker lives where there is no session or 0
-- Reply {} if there is no such session, else fields and values of its hash
--
-- Invariant: after the reply the session cannot be loaded. With a marker it cannot be saved for the first time either. Only
-- the marker needs memory.

local key, principal, life = KEYS[1], ARGV[1], ARGV[2]

local all = redis.call('HGETALL', key)
local state = redis.call('HGET', key, 's')
if not state then
  if life ~= '0' then
    redis.call('HSET', key, 'm', '')
    redis.call('PEXPIRE', key, life)
  end
  return {}
end
local owner = string.match(state, '^%S+ %S+ %S+ %S+ %S+ %S+ %S+ (.*)$')
if principal ~= '' and owner ~= '' and owner ~= principal then
  return {}
end
redis.call('DEL', key)
return all
