-- Adds to a field of an object.
--
-- KEYS  object
-- ARGV  field, summand, milliseconds to live or 0 for ever
-- Reply {'ok', sum} | {'other'} if the field is no whole number, or the sum too large
--
-- Invariant: the object has a field without a name, see put.lua. A field that is no number stays as it is. A call that is repeated counts twice.

local key, field, delta, ttl = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

local sum = redis.pcall('HINCRBY', key, field, delta)
if type(sum) == 'table' then
  if string.find(sum.err, 'not an integer', 1, true) or string.find(sum.err, 'overflow', 1, true) then
    return {'other'}
  end
  return sum
end
redis.call('HSET', key, '', '1')
keep(key, ttl)
-- Numbers of Lua have 53 bits
return {'ok', redis.call('HGET', key, field)}
