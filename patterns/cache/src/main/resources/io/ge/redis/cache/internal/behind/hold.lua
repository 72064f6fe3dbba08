-- Extends the lease of a partition, or releases it.
--
-- KEYS  lease of the partition
-- ARGV  token and channel of the holder with a space between, length of the lease in milliseconds, or 0 to give it up
-- Reply {1 if the caller was the holder, else 0}
--
-- Invariant: the lease of another one stays as it is. May be repeated. Succeeds without memory.

local lease, mine, hold = KEYS[1], ARGV[1], ARGV[2]
if redis.call('GET', lease) ~= mine then
  return {0}
end
if hold == '0' then
  redis.call('DEL', lease)
else
  redis.call('PEXPIRE', lease, hold)
end
return {1}
