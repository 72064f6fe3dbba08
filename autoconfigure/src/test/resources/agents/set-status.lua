-- ARGV: agent, status
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then
  return false
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('XADD', KEYS[3], 'MAXLEN', '1000', '*', 'agent', ARGV[1], 'status', ARGV[2])
return true
