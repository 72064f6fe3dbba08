-- Ends the blocking of a subject.
--
-- KEYS  the subject's row
-- ARGV  none
-- Reply {1 if it was blocked, else 0}
--
-- Invariant: afterwards the subject is not blocked. DEL runs also when the memory limit is reached.

return {redis.call('DEL', KEYS[1])}
