-- Leaves a marker where a session was whose id has changed.
--
-- KEYS  session by its old id
-- ARGV  nonce, hash of the new id, milliseconds that the marker lives
-- Reply {} if the session has ended or moved, else fields and values of its hash until now
--
-- Invariant: savers that have loaded the session before find the marker and follow it. Nobody can load it by the old id. The
-- first write is refused only while nothing has happened.

local key, nonce, hash, life = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local all = redis.call('HGETALL', key)
local state = redis.call('HMGET', key, 'n', 'm')
if state[1] ~= nonce or state[2] then
  return {}
end
redis.call('HSET', key, 'm', hash)
for i = 1, #all, 2 do
  if all[i] ~= 'n' then
    redis.call('HDEL', key, all[i])
  end
end
redis.call('PEXPIRE', key, life)
return all
