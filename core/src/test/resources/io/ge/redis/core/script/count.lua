-- Counts, where there is a number.
--
-- KEYS  the counter
-- ARGV  how many, the same again
-- Reply {the counter, the second argument, nil}
return {redis.call('INCRBY', KEYS[1], ARGV[1]), ARGV[2], false}
