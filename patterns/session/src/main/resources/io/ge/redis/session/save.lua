-- Writes what has changed of a session.
--
-- KEYS  session
-- ARGV  nonce, 1 if the session may be new else 0, timeout in milliseconds, longest life in milliseconds or 0, principal or '',
--       1 if the principal has just logged in else 0, number of fields to set, field, value, ..., then the fields to remove
-- Reply {'saved', creation, login or 0} in microseconds | {'gone'} | {'moved', hash of the new id}
--
-- Invariant: a session that has ended is not made again, as only its first saver may write where there is none, and later ones
-- need its nonce. Fields that are not named stay. The call may be repeated. If the first write is refused, nothing has happened.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local micros = string.format('%.0f', clock[1] * 1000000 + clock[2])
local key, nonce, new, timeout, longest = KEYS[1], ARGV[1], ARGV[2] == '1', tonumber(ARGV[3]), tonumber(ARGV[4])
local principal, login, count = ARGV[5], ARGV[6] == '1', tonumber(ARGV[7])
local BATCH = 1000

local state = redis.call('HMGET', key, 'n', 'm', 'c', 'e', 'g')
if state[1] and state[1] ~= nonce or not state[1] and not new then
  return {'gone'}
elseif state[2] then
  return {'moved', state[2]}
end

local fields = {'n', nonce, 'i', ARGV[3], 'l', string.format('%.0f', now)}
for i = 8, 7 + 2 * count, 2 do
  if ARGV[i] == 'c' then
    state[3] = ARGV[i + 1]
  elseif ARGV[i] == 'e' then
    state[4] = ARGV[i + 1]
  elseif ARGV[i] == 'g' then
    state[5] = ARGV[i + 1]
  end
  fields[#fields + 1] = ARGV[i]
  fields[#fields + 1] = ARGV[i + 1]
end
local function add(field, value)
  fields[#fields + 1] = field
  fields[#fields + 1] = value
  return value
end
if not state[3] then
  state[3] = add('c', micros)
  if longest > 0 then
    state[4] = add('e', string.format('%.0f', now + longest))
  end
end
local life = math.max(1, math.min(timeout, (tonumber(state[4]) or math.huge) - now))
if principal ~= '' then
  add('p', principal)
  add('x', string.format('%.0f', now + life))
  if login then
    state[5] = add('g', micros)
  end
end
for i = 1, #fields, BATCH do
  redis.call('HSET', key, unpack(fields, i, math.min(#fields, i + BATCH - 1)))
end
for i = 8 + 2 * count, #ARGV, BATCH do
  redis.call('HDEL', key, unpack(ARGV, i, math.min(#ARGV, i + BATCH - 1)))
end
redis.call('PEXPIRE', key, string.format('%.0f', life))
return {'saved', state[3], state[5] or '0'}
