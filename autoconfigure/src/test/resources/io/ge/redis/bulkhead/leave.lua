-- Lets a call leave a bulkhead.
--
-- KEYS  as of enter.lua
-- ARGV  id of the call
-- Reply {1 if it was at work}
--
-- Invariant: as of enter.lua.

return {redis.call('ZREM', KEYS[1], ARGV[1])}
