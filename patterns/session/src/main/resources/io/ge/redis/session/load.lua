-- Reads a session.
--
-- KEYS  session
-- ARGV  hash of the id, or '' if only the key is known; 1 to extend its life, 0 to only read it
-- Reply {} if there is none, else fields and values of its hash, and one element more if its entry in the index must be renewed
--
-- A session is a hash: s, its state, and a: with a name for each attribute. The state is text with a space between its parts:
-- last access, hash of the id, timeout, end of the entry in the index or 0, absolute end or 0, creation, login or 0, principal.
-- Times are milliseconds, creation and login microseconds. A session that was ended before it was saved has m in place of s.
--
-- Invariant: the key lives no longer than the timeout after this call, and not beyond the absolute end. If memory is full, the
-- last access is not written, but the life is extended.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local key, hash, extend = KEYS[1], ARGV[1], ARGV[2] == '1'

local all = redis.call('HGETALL', key)
local at = 1
while all[at] and all[at] ~= 's' do
  at = at + 2
end
local state = all[at + 1]
if not state then
  return {}
end
local known, timeout, entry, ends = string.match(state, '^%d+ (%S+) (%d+) (%d+) (%d+)')
if hash ~= '' and hash ~= known then
  return {}
elseif extend then
  local life = tonumber(timeout)
  if ends ~= '0' and ends - now < life then
    life = ends - now
  end
  if life <= 0 then
    redis.call('DEL', key)
    return {}
  end
  redis.pcall('HSET', key, 's', string.format('%.0f', now) .. string.sub(state, 14))
  redis.call('PEXPIRE', key, life)
  if entry ~= '0' and entry - now < life / 2 then
    all[#all + 1] = '1'
  end
end
return all
