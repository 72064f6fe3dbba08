-- Writes what has changed of a session.
--
-- KEYS  session
-- ARGV  hash of the id or '' to keep it, 1 if the session may be new else 0, timeout in milliseconds, longest life in milliseconds
--       or 0, principal, 'login', 'logout', 'enter' if the index was written, or 'keep', number of fields to set, field, value,
--       ..., then the fields to remove
-- Reply {} if the session has ended, else {its state, the principal until now}
--
-- Invariant: a session that has ended is not made again, as only its first saver may write where there is none. Fields that are
-- not named stay. The call may be repeated. If the first write is refused, nothing has happened.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local micros = string.format('%.0f', clock[1] * 1000000 + clock[2])
local key, hash, new, timeout, longest = KEYS[1], ARGV[1], ARGV[2] == '1', ARGV[3], tonumber(ARGV[4])
local principal, mode, last = ARGV[5], ARGV[6], 7 + 2 * ARGV[7]
local BATCH = 1000

local found = redis.call('HMGET', key, 's', 'm')
if not found[1] and (found[2] or not new) then
  return {}
end
local known, entry, ends, created, login, owner = hash, '0', longest > 0 and string.format('%.0f', now + longest) or '0', micros, '0', ''
if found[1] then
  known, entry, ends, created, login, owner = string.match(found[1], '^%d+ (%S+) %d+ (%d+) (%d+) (%d+) (%d+) (.*)$')
end
local before, life = owner, tonumber(timeout)
if ends ~= '0' then
  life = math.max(1, math.min(life, ends - now))
end
if mode == 'login' then
  owner, login = principal, micros
elseif mode == 'logout' then
  owner, login, entry = '', '0', '0'
end
if mode == 'login' or mode == 'enter' and owner == principal then
  entry = string.format('%.0f', now + life)
end
local state = table.concat({string.format('%.0f', now), hash ~= '' and hash or known, timeout, entry, ends, created, login, owner}, ' ')
redis.call('HSET', key, 's', state)
for i = 8, last, BATCH do
  redis.call('HSET', key, unpack(ARGV, i, math.min(last, i + BATCH - 1)))
end
for i = last + 1, #ARGV, BATCH do
  redis.call('HDEL', key, unpack(ARGV, i, math.min(#ARGV, i + BATCH - 1)))
end
redis.call('PEXPIRE', key, string.format('%.0f', life))
return {state, before}
