-- Withdraws the announcement of a writer whose transaction was rolled back.
--
-- KEYS  entry, writers, waiters, refresh; all with the hash tag of the entry
-- ARGV  id of the writer
-- Reply {1 if it was pending, else 0}
--
-- Invariant: nothing was committed, so other writers keep their order and the entry stays as it is, which is absent.
-- May be repeated. Only removes, so it succeeds without memory.

local writers, mine = KEYS[2], 't:' .. ARGV[1]
return {redis.call('HDEL', writers, mine)}
