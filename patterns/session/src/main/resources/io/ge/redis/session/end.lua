-- Ends a session.
--
-- KEYS  session
-- ARGV  principal that it must have or '', milliseconds that a marker lives where there is no session or 0
-- Reply {} if there is no such session, else {principal or '', hash of the new id or ''}
--
-- Invariant: after the reply the session cannot be loaded. With a marker it cannot be saved for the first time either. Only
-- the marker needs memory.

local key, principal, life = KEYS[1], ARGV[1], ARGV[2]

local state = redis.call('HMGET', key, 'n', 'p', 'm')
if not state[1] then
  if life ~= '0' then
    redis.call('HSET', key, 'n', '')
    redis.call('PEXPIRE', key, life)
  end
  return {}
elseif state[1] == '' or principal ~= '' and state[2] and state[2] ~= principal then
  return {}
end
redis.call('DEL', key)
return {state[2] or '', state[3] or ''}
