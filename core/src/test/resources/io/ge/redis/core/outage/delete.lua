-- Frees a key if it holds a value.
--
-- KEYS  the key
-- ARGV  the value
-- Reply {number of keys freed}
local key, value = KEYS[1], ARGV[1]
if redis.call('GET', key) == value then
  return {redis.call('DEL', key)}
end
return {0}
