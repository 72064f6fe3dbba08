-- Publishes a message.
--
-- KEYS  stream of the channel
-- ARGV  how many messages are kept, 0 in an ephemeral channel; channel to ring, or of the messages themselves if none is
--       kept, or ''; payload
-- Reply {number of the message, 0 if it is not kept}
--
-- An entry of the stream has, in this order
--   n        time in microseconds at which the stream began, and number of the message: 1, 2, 3 and so on
--   after    id of the entry before it, or 0-0
--   payload
-- Invariant: a stream has its last message, so no counter and no copy for sticky channels could disagree with it.

local clock = redis.call('TIME') -- the only reading of time
local stream, retention, channel, payload = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
if retention == '0' then
  redis.call('PUBLISH', channel, payload)
  return {0}
end
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
local begin, number = string.match(last and last[2][2] or '', '^(%d+)-(%d+)$')
begin = begin or string.format('%.0f', clock[1] * 1000000 + clock[2])
number = (tonumber(number) or 0) + 1
redis.call('XADD', stream, 'MAXLEN', retention, '*', 'n', begin .. '-' .. string.format('%.0f', number), 'after',
  last and last[1] or '0-0', 'payload', payload)
if channel ~= '' then
  redis.pcall('PUBLISH', channel, 'bell ' .. stream)
end
return {number}
