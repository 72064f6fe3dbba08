-- Returns the first members of a board, or a member with those before and behind it.
--
-- KEYS  board
-- ARGV  window, FIRST | SHARED, member or '' for the first ones, how many, around a member on each side
-- Reply {for each: element, score, then position of the first one from 0, its rank} | {} if there is no such member
--
-- Invariant, see submit.lua for the state: writes nothing.

local clock = ARGV[1] ~= 'none' and redis.call('TIME') or {0} -- the only reading of time
local key = window_key(KEYS[1], ARGV[1], tonumber(clock[1]), 0)
local first, member, count = ARGV[2] == 'FIRST', ARGV[3], tonumber(ARGV[4])

local from, to = 0, count - 1
if member ~= '' then
  local element = member
  if first then
    element = redis.call('HGET', key .. ':members', member) or ''
  end
  local position = redis.call('ZREVRANK', key, element)
  if not position then
    return {}
  end
  from, to = math.max(0, position - count), position + count
end

local page = redis.call('ZREVRANGE', key, from, to, 'WITHSCORES')
local rank = from + 1
if not first and from > 0 then
  rank = redis.call('ZCOUNT', key, '(' .. page[2], '+inf') + 1
end
page[#page + 1] = from
page[#page + 1] = rank
return page
