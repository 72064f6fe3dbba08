-- Returns the first members of a board, or a member with those before and behind it.
--
-- KEYS  board
-- ARGV  window, first | shared, member or '' for the first ones, how many, around a member on each side
-- Reply {members, position of the first one returned from 0, its rank, then for each: member, score} | {} if there is no
--       such member
--
-- Invariant, see submit.lua for the state: writes nothing.

local clock = redis.call('TIME') -- the only reading of time
local key = window_key(KEYS[1], ARGV[1], tonumber(clock[1]), 0)
local first, member, count = ARGV[2] == 'first', ARGV[3], tonumber(ARGV[4])

local from, to = 0, count - 1
if member ~= '' then
  local element = member
  if first then
    element = redis.call('HGET', key .. ':members', member)
  end
  local position = element and redis.call('ZREVRANK', key, element)
  if not position then
    return {}
  end
  from, to = math.max(0, position - count), position + count
end

local reply = {redis.call('ZCARD', key), from, from + 1}
local page = redis.call('ZREVRANGE', key, from, to, 'WITHSCORES')
if not first and from > 0 then
  reply[3] = redis.call('ZCOUNT', key, '(' .. page[2], '+inf') + 1
end
for i = 1, #page, 2 do
  reply[#reply + 1] = first and string.sub(page[i], 18) or page[i]
  reply[#reply + 1] = page[i + 1]
end
return reply
