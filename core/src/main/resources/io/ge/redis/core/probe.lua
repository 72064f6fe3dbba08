-- Shows whether the server takes writes, as a replica or a cluster without its slots does not.
--
-- KEYS  a key that never exists
-- ARGV  none
-- Reply {0}
--
-- Invariant: writes nothing. The command is refused like every write where writes are refused.

return {redis.call('DEL', KEYS[1])}
