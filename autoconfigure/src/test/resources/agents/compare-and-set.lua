-- ARGV: expected, new
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then
  return false
end
redis.call('SET', KEYS[1], ARGV[2])
return true
