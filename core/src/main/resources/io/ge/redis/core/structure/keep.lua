-- How long a key that was written lives, put in front of the scripts of structures.
--
-- KEYS  none of its own
-- ARGV  none of its own
-- Reply none
--
-- Invariant: each write decides: for ever under 0, whatever an application with a time to live has left, else for that
-- time.

local function keep(key, ttl)
  if ttl == '0' then
    redis.call('PERSIST', key)
  else
    redis.call('PEXPIRE', key, ttl)
  end
end
