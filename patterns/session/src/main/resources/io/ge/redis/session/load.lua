-- Reads a session.
--
-- KEYS  session
-- ARGV  1 to extend its life, 0 to only read it
-- Reply {} if there is none, else fields and values of its hash, then 'due' and 1 if its entry in the index must be renewed, else 0
--
-- A session is a hash: n nonce; c creation and g login, microseconds; l last access, e absolute end and x end of the entry in
-- the index, milliseconds; i timeout in milliseconds; p principal; a: and a name for each attribute. A session whose id has
-- changed leaves a marker for savers that loaded it before: n, and m, the hash of the new id. One that was ended before it was
-- saved leaves a marker with an empty n.
--
-- Invariant: a marker is never read as a session. The key lives no longer than i after this call, and not beyond e. If memory
-- is full, the last access is not written, but the life is extended.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local key, extend = KEYS[1], ARGV[1] == '1'

local all, state = redis.call('HGETALL', key), {}
for i = 1, #all, 2 do
  if #all[i] == 1 then
    state[all[i]] = all[i + 1]
  end
end
if not state.n or state.n == '' or state.m then
  return {}
end
local due = '0'
if extend then
  local life = math.min(tonumber(state.i), (tonumber(state.e) or math.huge) - now)
  if life <= 0 then
    redis.call('DEL', key)
    return {}
  end
  local changes = {'l', string.format('%.0f', now)}
  if state.p and (tonumber(state.x) or 0) < now + life / 2 then
    due = '1'
    changes[3], changes[4] = 'x', string.format('%.0f', now + life)
  end
  redis.pcall('HSET', key, unpack(changes))
  redis.call('PEXPIRE', key, string.format('%.0f', life))
end
all[#all + 1] = 'due'
all[#all + 1] = due
return all
