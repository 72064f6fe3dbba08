-- Extends the leases of several locks.
--
-- KEYS  locks; on a Cluster all of one slot
-- ARGV  instance (its channel), then for each lock its handle and its lease in ms
-- Reply for each lock 1 if the lease runs anew, 0 if the lock is not this handle's any more
--
-- Invariant: extends what the handles hold and creates nothing (state: see acquire.lua). Works without memory.

local instance = ARGV[1]
local extended = {}

for i, lock in ipairs(KEYS) do
  local mine = instance .. ' ' .. ARGV[i * 2] .. ' '
  local lease = ARGV[i * 2 + 1]
  local held = redis.call('GET', lock)
  if held and string.sub(held, 1, #mine) == mine then
    extended[i] = redis.call('PEXPIRE', lock, lease)
  else
    extended[i] = 0
  end
end
return extended
