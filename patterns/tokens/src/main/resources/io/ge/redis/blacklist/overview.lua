-- Counts what there is. Reads only.
--
-- KEYS  sorted set of the rows, stream of the changes, hash of the instances that follow it
-- ARGV  none
-- Reply {how many rows exist, how many changes the stream keeps, id of the last one or '',
--        how many instances may answer from memory}
--
-- Invariant: instances that have ended to answer from memory do not count, nor does the note of lost ones, see follow.lua.

local rows, changes, readers = KEYS[1], KEYS[2], KEYS[3]

local LOST = 'lost'

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local last = redis.call('XREVRANGE', changes, '+', '-', 'COUNT', 1)[1]
local following = 0
local all = redis.call('HGETALL', readers)
for i = 1, #all, 2 do
  if all[i] ~= LOST and tonumber(string.match(all[i + 1], '^(%d+) ')) >= now then
    following = following + 1
  end
end
return {
  redis.call('ZCOUNT', rows, '(' .. string.format('%.0f', now), '+inf'),
  redis.call('XLEN', changes),
  last and last[1] or '',
  following
}
