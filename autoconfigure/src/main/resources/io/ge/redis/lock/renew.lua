-- Extends a lease.
--
-- KEYS  lock
-- ARGV  instance (its channel), handle, lease in ms
-- Reply {1} if the lease runs anew, {0} if the lock is not this handle's any more
--
-- Invariant: extends what the handle holds and creates nothing (state: see acquire.lua). Works without memory.

local lock = KEYS[1]
local mine = ARGV[1] .. ' ' .. ARGV[2] .. ' '
local lease = ARGV[3]

local held = redis.call('GET', lock)
if not held or string.sub(held, 1, #mine) ~= mine then
  return {0}
end
return {redis.call('PEXPIRE', lock, lease)}
