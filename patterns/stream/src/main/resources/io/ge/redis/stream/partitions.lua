-- Keeps the largest number of partitions that a definition has had.
--
-- KEYS  the number
-- ARGV  how many it has now, 0 for none
-- Reply {the largest number, 0 if it never had any}
--
-- Invariant: the number never falls, since an instance with more partitions may still publish to them.

local most = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), tonumber(ARGV[1]))
if most > 0 then
  redis.call('SET', KEYS[1], most)
end
return {most}
