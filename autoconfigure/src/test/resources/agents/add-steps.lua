-- ARGV: operation, steps
if redis.call('HSETNX', KEYS[2], ARGV[1], '') == 1 then
  redis.call('INCRBY', KEYS[1], ARGV[2])
end
return redis.call('GET', KEYS[1])
