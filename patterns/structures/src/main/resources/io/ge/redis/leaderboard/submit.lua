-- Adds to the score of a member, or keeps its best one, in all windows of a board.
--
-- KEYS  board
-- ARGV  add | best, member, number, FIRST | SHARED, milliseconds to live or 0 for ever, window, ...
-- Reply {score in the first window} | {false} if the score would become infinite in a window
--
-- Of each window there is a sorted set of the members by score. With FIRST its elements are the members behind 16
-- digits and a colon; the digits are the larger the earlier a member got its score, since Redis orders equal scores by
-- element. A hash beside it, :members, has the element of each member.
--
-- Invariants
--  * A member is in a window at most once, with a finite score.
--  * A score that does not change keeps its place among equal ones.
--  * All windows are written, or none. If the first write is refused, nothing has happened; the others are not refused.

local board = KEYS[1]
local mode, member, number, first, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == 'FIRST', ARGV[5]

-- The usual case in few commands. Only larger summands make an infinite sum of finite numbers
if mode == 'add' and not first and #ARGV == 6 and ARGV[6] == 'none' and math.abs(number) < 1e290 then
  local score = redis.call('ZINCRBY', board, ARGV[3], member)
  keep(board, ttl)
  return {score}
end

local clock = redis.call('TIME') -- the only reading of time
local seconds = tonumber(clock[1])
-- 16 digits until the year 2223
local earlier = string.format('%.0f:', 8999999999999999 - (seconds * 1000000 + clock[2]))

local changes = {}
for i = 6, #ARGV do
  local key = window_key(board, ARGV[i], seconds, 0)
  -- Fails for a key of another type before anything is written
  redis.call('ZCARD', key)
  local element = member
  if first then
    element = redis.call('HGET', key .. ':members', member)
  end
  local old = tonumber(element and redis.call('ZSCORE', key, element) or nil)
  local score = number
  if mode == 'add' then
    score = (old or 0) + number
  elseif old then
    score = math.max(old, number)
  end
  if math.abs(score) == math.huge then
    return {false}
  end
  changes[#changes + 1] = {key = key, old = old, element = element, score = score}
end

for _, change in ipairs(changes) do
  local key = change.key
  if change.score ~= change.old then
    local element = member
    if first then
      element = earlier .. member
      redis.call('HSET', key .. ':members', member, element)
    end
    redis.call('ZADD', key, string.format('%.17g', change.score), element)
    if change.old and change.element ~= element then
      redis.call('ZREM', key, change.element)
    end
    change.element = element
  end
  keep(key, ttl)
  if first then
    keep(key .. ':members', ttl)
  end
end

return {string.format('%.17g', changes[1].score)}
