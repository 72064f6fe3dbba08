-- Counts the instances that may answer from memory without knowing a change.
--
-- KEYS  hash of the instances that follow the changes
-- ARGV  id of the change
--       for how long an instance may answer from memory, in ms
-- Reply {how many}
--
-- Invariants
--  * An instance that is not counted knows the change or does not answer from memory, see follow.lua. Those that have
--    ended to do so are removed.
--  * A hash that was lost, by a flush or by eviction, says nothing about those that stood in it. So one that is new has
--    an entry for them, which counts as an instance that knows nothing until the last of them has ended.
--  * Runs also when the memory limit is reached, see change.lua. If a write is refused all the same the call fails.

local readers, id, lease = KEYS[1], ARGV[1], tonumber(ARGV[2])

local FORGOTTEN_AFTER = 86400000
local LOST = 'lost'

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

if redis.call('HEXISTS', readers, LOST) == 0 then
  redis.call('PEXPIRE', readers, FORGOTTEN_AFTER + lease)
  redis.call('HSETNX', readers, LOST, string.format('%.0f', now + 1 + lease) .. ' 0-0')
  redis.call('PEXPIRE', readers, FORGOTTEN_AFTER + lease)
end

local function parts(text)
  local high, low = string.match(text, '^(%d+)-(%d+)$')
  return tonumber(high) or 0, tonumber(low) or 0
end

local high, low = parts(id)
local unaware = 0
local all = redis.call('HGETALL', readers)
for i = 1, #all, 2 do
  local ends, known = string.match(all[i + 1], '^(%d+) (.*)$')
  local known_high, known_low = parts(known)
  if tonumber(ends) < now then
    if all[i] ~= LOST then
      redis.call('HDEL', readers, all[i])
    end
  elseif known_high < high or (known_high == high and known_low < low) then
    unaware = unaware + 1
  end
end
return {unaware}
