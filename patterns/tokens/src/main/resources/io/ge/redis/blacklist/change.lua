-- Writes or removes one row of the blacklist, and notifies all instances.
--
-- KEYS  sorted set of the rows, hash of their details, stream of the changes, hash of the reasons
-- ARGV  member: a letter for the kind of row, and the id, of 17 bytes together
--       operation: 'until' an instant, 'for' a time, 'not-before' for a time, or 'remove'
--       that instant or time in ms, else 0
--       how many changes the stream keeps, channel of all instances
--       why, or ''
--       the not-before of the first call if this one repeats it, else ''
-- Reply {how long the row is valid in ms, 0 if it is not; id of the change, '' if there was none; not-before or 0}
--
-- Invariants
--  * A row is valid at least as long as the longest call asked for, by this server's clock and to the millisecond.
--  * Not-before never decreases while the row is valid, also where the clock does. It is above every earlier one of any
--    row, and not below any stamp given out by issue-stamp.lua: those are at most the clock, or the highest not-before
--    plus one. Only a clock that steps back can break this, such as the clock of a new primary.
--  * Every change that is replied is in the stream, in the order of the changes. The message contains it too, for
--    readers that need no order.
--  * A reason lasts as long as its row, until another is given.
--  * All keys live longer than the longest row. What is over is removed ten seconds late, for instances whose idea of
--    this server's time lags.
--  * Repeating a call does no harm.
--  * Runs also when the memory limit is reached: servers from 7.0 on know the flag allow-oom; older ones apply the
--    limit to the first write of a script only, and that is PEXPIRE, which needs no memory.
-- If the k-th write is refused all the same, the call fails, and the row may exist unannounced: when asked for, it
-- refuses. A row without its detail refuses as well.

local rows, details, changes, reasons = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local member, operation, millis = ARGV[1], ARGV[2], tonumber(ARGV[3])
local most, channel, reason = ARGV[4], ARGV[5], ARGV[6]
local given = tonumber(ARGV[7])

local LATE = 10000
local REMOVED_AT_ONCE = 100
local LONGEST = 10000 * 365 * 86400 * 1000 -- in ms; a row that others have written may have no end

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local now_millis = math.ceil(now / 1000)

local function whole(number)
  return string.format('%.0f', number)
end

local function end_of(score)
  return math.min(tonumber(score), now_millis + LONGEST)
end

local score = redis.call('ZSCORE', rows, member)
local present = score and end_of(score)
local stands_until, not_before, sign = 0, 0, '+'

if operation == 'remove' then
  if not present then
    return {0, '', 0}
  end
  sign = '-'
else
  stands_until = (operation == 'until') and millis or now_millis + millis
  if stands_until * 1000 <= now then
    return {0, '', 0}
  end
  stands_until = math.max(stands_until, present or 0)
end

local longest = stands_until
local last = redis.call('ZREVRANGE', rows, 0, 0, 'WITHSCORES')
if last[2] then
  longest = math.max(longest, end_of(last[2]))
end
local ttl = whole(math.max(longest - now_millis, 0) + LATE)
redis.call('PEXPIRE', rows, ttl)

if operation == 'remove' then
  redis.call('ZREM', rows, member)
  redis.call('HDEL', details, member)
  redis.call('HDEL', reasons, member)
  if present * 1000 <= now then
    return {0, '', 0}
  end
else
  redis.call('ZADD', rows, whole(stands_until), member)
end
if operation == 'not-before' then
  local last = tonumber(redis.call('HGET', details, 'last') or '0')
  if given then -- a token that was issued since the first call stays valid
    not_before = math.max(given, tonumber(redis.call('HGET', details, member) or '0'))
  else
    not_before = math.max(now, last + 1)
  end
  redis.call('HSET', details, member, whole(not_before), 'last', whole(math.max(last, not_before)))
end
if reason ~= '' then
  redis.call('HSET', reasons, member, reason)
elseif present and present * 1000 <= now then
  redis.call('HDEL', reasons, member)
end

local over = redis.call('ZRANGEBYSCORE', rows, '-inf', whole(now_millis - LATE), 'LIMIT', 0, REMOVED_AT_ONCE)
if #over > 0 then
  redis.call('ZREM', rows, unpack(over))
  redis.call('HDEL', details, unpack(over))
  redis.call('HDEL', reasons, unpack(over))
end

local change = sign .. whole(stands_until) .. ' ' .. whole(not_before)
if reason ~= '' then
  change = change .. ' ' .. reason
end
local id = redis.call('XADD', changes, 'MAXLEN', '~', most, '*', 'c', member .. change)

redis.call('PEXPIRE', rows, ttl)
redis.call('PEXPIRE', details, ttl)
redis.call('PEXPIRE', reasons, ttl)
redis.call('PEXPIRE', changes, whole(math.max(tonumber(ttl), redis.call('PTTL', changes))))
local name = string.gsub(member, '.', function(byte)
  return string.format('%02x', string.byte(byte))
end)
redis.pcall('PUBLISH', channel, 'blacklist.changed ' .. name .. change)
return {operation == 'remove' and 0 or math.max(stands_until - now_millis, 1), id, not_before}
