-- Removes a member from the current windows of a board.
--
-- KEYS  board
-- ARGV  member, FIRST | SHARED, 0 if the board is kept for ever, window, ...
-- Reply {1 if it was in any of them or 0}
--
-- Invariant, see submit.lua for the state: an element goes before the hash forgets it, so a call may be repeated.

local clock = redis.call('TIME') -- the only reading of time
local board, member, first, ttl = KEYS[1], ARGV[1], ARGV[2] == 'FIRST', ARGV[3]
local removed = 0
for i = 4, #ARGV do
  local key = window_key(board, ARGV[i], tonumber(clock[1]), 0)
  local element = member
  if first then
    element = redis.call('HGET', key .. ':members', member) or ''
  end
  removed = math.max(removed, redis.call('ZREM', key, element))
  if first then
    redis.call('HDEL', key .. ':members', member)
  end
  if ttl == '0' then
    keep(key, ttl)
    keep(key .. ':members', ttl)
  end
end
return {removed}
