-- Takes, keeps, ends or releases the one run of a warm-up on all instances.
--
-- KEYS  state of the warm-up: 'L' and the token of the instance that runs it, or 'D' and that token once it is done
-- ARGV  token, 'L' to take or keep the lease, 'D' when it is done, '' to release it, TTL of the state in milliseconds
-- Reply {'yours'} | {'theirs'} | {'done'}
--
-- Invariants
--  * At most one instance holds the lease, and none takes it while a finished run counts.
--  * Only its holder prolongs, ends or releases it.
-- May be repeated by the same instance.

local state, token, kind = KEYS[1], ARGV[1], ARGV[2]
local found = redis.call('GET', state)
if found and found ~= 'L ' .. token then
  return {string.sub(found, 1, 1) == 'D' and 'done' or 'theirs'}
end
if kind == '' then
  redis.call('DEL', state)
else
  redis.call('SET', state, kind .. ' ' .. token, 'PX', ARGV[3])
end
return {'yours'}
