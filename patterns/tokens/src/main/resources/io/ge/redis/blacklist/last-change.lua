-- Returns the last change, before the rows are read.
--
-- KEYS  stream of the changes, sorted set of the rows, hash of the instances that follow them
-- ARGV  none
-- Reply {the time in microseconds, how many rows there are, id and text of the last change}
--
-- Invariants
--  * A row that is not met by reading all of them after this was written by a later change.
--  * There is always a last change: where there is no stream, one is begun with 'start', so that its loss is noticed. It
--    lives for a day, or longer than the longest row.
--  * Instances that have ended to answer from memory are removed, so that short-lived ones leave nothing behind. The
--    note of lost ones stays, see follow.lua.
--  * Runs also when the memory limit is reached, see change.lua.
-- If the first write is refused nothing has changed, if the last is, the stream stays until the next change.

local changes, rows, readers = KEYS[1], KEYS[2], KEYS[3]

local DAY = 86400000
local LOST = 'lost'

local clock = redis.call('TIME') -- the only reading of time
local ttl = string.format('%.0f', math.max(DAY, redis.call('PTTL', rows)))

local last = redis.call('XREVRANGE', changes, '+', '-', 'COUNT', 1)[1]
if not last then
  redis.call('PEXPIRE', changes, ttl)
  last = {redis.call('XADD', changes, '*', 'c', 'start'), {'c', 'start'}}
  redis.call('PEXPIRE', changes, ttl)
end

local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local all = redis.call('HGETALL', readers)
for i = 1, #all, 2 do
  if all[i] ~= LOST and tonumber(string.match(all[i + 1], '^(%d+) ')) < now then
    redis.call('HDEL', readers, all[i])
  end
end
return {string.format('%.0f', clock[1] * 1000000 + clock[2]), redis.call('ZCARD', rows), last[1], last[2][2]}
