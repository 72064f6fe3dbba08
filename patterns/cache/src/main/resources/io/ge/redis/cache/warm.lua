-- Takes, keeps, ends or gives up the one run of a warm-up in the fleet.
--
-- KEYS  state of the warm-up
-- ARGV  token of the run, 'take' to begin, 'keep' to go on, 'done' or 'free', how long in milliseconds the state
--       stands, how many keys the run has read so far
-- Reply {'yours'} | {'theirs', milliseconds left, token, keys read} | {'done', keys read} | {'freed'} | {'lost'}
--
-- The state is a letter, the token and the number of keys: 'L' while that run holds the lease, 'D' once it is done.
--
-- Invariants
--  * At most one run holds the lease, and none begins while a finished one counts.
--  * Only the run that holds the lease prolongs it, ends it or gives it up.
-- May be repeated by the same run. If the state cannot be written for lack of memory the call fails and leaves what was
-- there, which has a TTL.

local state, token, action, stands, keys = KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local kind, owner, count
local found = redis.call('GET', state)
if found then
  kind, owner, count = string.match(found, '^(%a) (%S+) (%d+)$')
end

if kind == 'D' and (action == 'take' or owner == token) then
  return {'done', tonumber(count)}
end
if kind == 'L' and owner ~= token then
  return action == 'take' and {'theirs', math.max(1, redis.call('PTTL', state)), owner, tonumber(count)} or {'lost'}
end
if kind ~= 'L' and action ~= 'take' then
  return {'lost'}
end
if action == 'take' or action == 'keep' then
  redis.call('SET', state, 'L ' .. token .. ' ' .. keys, 'PX', stands)
  return {'yours'}
end
if action == 'done' then
  redis.call('SET', state, 'D ' .. token .. ' ' .. keys, 'PX', stands)
  return {'done', tonumber(keys)}
end
redis.call('DEL', state)
return {'freed'}
