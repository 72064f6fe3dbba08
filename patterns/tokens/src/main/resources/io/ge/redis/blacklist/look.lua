-- Reads one row. Writes nothing.
--
-- KEYS  sorted set of the rows, hash of their details, hash of the reasons
-- ARGV  member, as in change.lua
-- Reply {how long the row is valid in ms, 0 if it is not; not-before or 0; reason or ''}
--
-- Invariant: an expired row is not valid, whether or not it has been removed.

local rows, details, reasons = KEYS[1], KEYS[2], KEYS[3]
local member = ARGV[1]

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local stands_until = tonumber(redis.call('ZSCORE', rows, member) or '')
if not stands_until or stands_until * 1000 <= now then
  return {0, 0, ''}
end
return {
  math.max(stands_until - math.floor(now / 1000), 1),
  tonumber(redis.call('HGET', details, member) or '0'),
  redis.call('HGET', reasons, member) or ''
}
