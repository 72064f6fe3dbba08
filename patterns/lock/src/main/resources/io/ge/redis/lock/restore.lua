-- Extends the lease of a lock, and writes it again if a new primary does not know it.
--
-- KEYS  lock, last token; with the entity's hash tag
-- ARGV  instance (its channel), handle, lease in ms, first and last token of the handle, life of the last token in ms
-- Reply {1} if the lease runs anew, {0} if the lock is not this handle's any more
-- Invariant: a lock that another has, or has had since as a higher last token shows, is not touched (state: see
-- acquire.lua). Repeating a call does no harm.

local lock, counter, last = KEYS[1], KEYS[2], ARGV[5]
local mine = ARGV[1] .. ' ' .. ARGV[2] .. ' '

local held = redis.call('GET', lock)
local past = tonumber(redis.call('GET', counter) or '0')
if held and string.sub(held, 1, #mine) == mine then
  return {redis.call('PEXPIRE', lock, ARGV[3])}
end
if held or not past or past > tonumber(last) then
  return {0}
end
redis.call('SET', counter, last, 'PX', ARGV[6])
redis.call('SET', lock, mine .. ARGV[4] .. ' ' .. last, 'PX', ARGV[3])
return {1}
