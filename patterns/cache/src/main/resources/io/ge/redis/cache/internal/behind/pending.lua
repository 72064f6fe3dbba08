-- Returns the change of a key that its store has not confirmed.
--
-- KEYS  changes of the partition
-- ARGV  key
-- Reply {0} | {1, change}
--
-- Invariant: writes nothing.

local found = redis.call('HGET', KEYS[1], ARGV[1])
if not found then
  return {0}
end
return {1, string.sub(found, string.find(found, ' ', 1, true) + 1)}
