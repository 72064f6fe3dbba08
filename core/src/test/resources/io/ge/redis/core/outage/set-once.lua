-- Claims a key for a value.
--
-- KEYS  the key
-- ARGV  the value
-- Reply {the value that holds the key}
local key, value = KEYS[1], ARGV[1]
redis.call('SET', key, value, 'NX', 'PX', 60000)
return {redis.call('GET', key)}
