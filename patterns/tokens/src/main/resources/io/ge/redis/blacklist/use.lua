-- Uses an id once.
--
-- KEYS  mark of the id
-- ARGV  for how long it is remembered in ms
-- Reply {1 first use, 0 used before}
--
-- Invariant: one call in that time is the first. If the write is refused the call fails, and the id is not used.

if redis.call('SET', KEYS[1], '1', 'NX', 'PX', ARGV[1]) then
  return {1}
end
return {0}
