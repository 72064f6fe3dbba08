-- Sets every key, and replies a value of each kind.
--
-- KEYS  any
-- ARGV  the value
-- Reply {value, largest exact integer, nil, digits}
local value = ARGV[1]
for _, key in ipairs(KEYS) do
  redis.call('SET', key, value, 'PX', 60000)
end
return {redis.call('GET', KEYS[1]), 9007199254740991, false, '7'}
