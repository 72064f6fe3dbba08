-- Gives up a lock, or the place in the queue, and grants it to the instance that has waited longest.
--
-- KEYS  lock, last token, queue, requests; all with the entity's hash tag
-- ARGV  instance (its channel), handle, how long a grant lasts in ms, 1 to leave the queue as well unless the instance
--       waits there under another handle by now,
--       handle under which the instance waits from now on or '', highest token it has seen, how many tokens are wanted,
--       lease in ms, how long a place in the queue counts in ms, life of the last token in ms,
--       for how many ms none may have the lock, or 0, 1 to notify the instance that it has lost the lock
-- Reply {1} if the lock is free now, {2} if another has it, {3, first token, last token} if the instance has it
--       again, under the handle under which it waits; {0} if it was not this handle's
--
-- Invariants (state and tokens: see acquire.lua)
--  * Only the owner gives up: what another handle or instance holds is not touched. A repetition finds nothing.
--  * After a release with a living instance in the queue the lock is not free: it is granted to exactly one instance,
--    under the handle by which that one has asked. It alone is notified, and asks. If it does not do so in time, or has
--    died, it loses the lock to the TTL.
--  * Those whose deadline has passed, or who have seen a foreign token, are dropped, not chosen.
--  * An instance that keeps waiting comes after all that wait, and has the lock if none waits.
-- Works without memory: before any write that needs some, the queue has shrunk or the script is allowed to run; if
-- granting is refused all the same, or the last token is foreign, the lock becomes free and the chosen instance is woken
-- to ask. A message that may not be published is as good as a lost one: the chosen instance asks again on its own.

local lock, counter, queue, requests = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local instance, handle, grant, leave, following = ARGV[1], ARGV[2], ARGV[3], ARGV[4] == '1', ARGV[5]
local seen, wanted, lease = ARGV[6], tonumber(ARGV[7]), ARGV[8]
local place, memory, keep, tell = ARGV[9], ARGV[10], tonumber(ARGV[11]), ARGV[12] == '1'

local held = redis.call('GET', lock)
if leave then
  local request = redis.call('HGET', requests, instance)
  if not request or string.match(request, ' (%S+) ') == handle then
    redis.call('ZREM', queue, instance)
    redis.call('HDEL', requests, instance)
  end
end
local mine = instance .. ' ' .. handle .. ' '
local owned = held and string.sub(held, 1, #mine) == mine
if not owned then
  return {0}
end
if tell then
  redis.pcall('PUBLISH', instance, 'lock.lost ' .. handle .. ' ' .. lock)
end

if keep > 0 then
  if redis.pcall('SET', lock, '= ' .. held, 'PX', keep).err then
    redis.call('PEXPIRE', lock, keep)
  end
  return {2}
end

-- The frequent case without waiters first, before anything is prepared for the rest
if following == '' and redis.call('EXISTS', queue) == 0 then
  redis.call('DEL', lock)
  return {1}
end

local now
local function time()
  if not now then
    local clock = redis.call('TIME') -- the only reading of time
    now = clock[1] * 1000000 + clock[2]
  end
  return now
end

-- Of a token that was seen: one of ours is at most a day ahead
local function trusted(token)
  return tonumber(token) <= time() + 86400000000
end

local function give(owner, highest, ttl)
  local edge = time() + 511
  local past = tonumber(redis.pcall('GET', counter) or edge)
  local first, last
  local given = {err = 'FOREIGN'}
  if past and trusted(past) then
    first = math.max(past + 1, (trusted(seen) and seen or 0) + 1, highest + 1, time())
    last = string.format('%.0f', math.max(first, math.min(first + wanted - 1, edge)))
    first = string.format('%.0f', first)
    given = redis.pcall('SET', counter, last, 'PX', memory)
  end
  if not given.err then
    given = redis.pcall('SET', lock, owner .. ' ' .. first .. ' ' .. last, 'PX', ttl)
  end
  if given.err then
    redis.call('DEL', lock)
    return nil
  end
  return first, last
end

local deadline, grantee, highest
local chosen = redis.call('ZRANGE', queue, 0, 0)[1]
while chosen do
  deadline, grantee, highest = string.match(redis.call('HGET', requests, chosen) or '', '^(%d+) (%S+) (%d+)$')
  redis.call('ZREM', queue, chosen)
  redis.call('HDEL', requests, chosen)
  if deadline and tonumber(deadline) > time() and trusted(highest) then
    break
  end
  chosen = redis.call('ZRANGE', queue, 0, 0)[1]
end

if not chosen and following == '' then
  redis.call('DEL', lock)
  return {1}
end

if following ~= '' and (not chosen or chosen == instance) then
  local first, last = give(instance .. ' ' .. following, 0, lease)
  return first and {3, first, last} or {1}
end

local first, last = give(chosen .. ' ' .. grantee, highest, grant)
local message = first and 'lock.grant ' .. grantee .. ' ' .. lock or 'lock ' .. lock
redis.pcall('PUBLISH', chosen, message)

if following ~= '' then
  redis.pcall('ZADD', queue, 'NX', string.format('%.0f', time()), instance)
  redis.pcall('HSET', requests, instance,
    string.format('%.0f', time() + place * 1000) .. ' ' .. following .. ' ' .. seen)
  redis.pcall('PEXPIRE', queue, place)
  redis.pcall('PEXPIRE', requests, place)
end
return {first and 2 or 1}
