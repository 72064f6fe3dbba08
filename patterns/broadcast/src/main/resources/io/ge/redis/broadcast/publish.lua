-- Publishes a message.
--
-- KEYS  stream of the channel
-- ARGV  how many messages are kept, 0 in an ephemeral channel; channel to ring, or of the messages themselves if none is
--       kept, or ''; payload
-- Reply {number of the message, 0 if it is not kept}
--
-- Invariants
--  * The id of a message is the time in microseconds at which its stream began, and its number: 1, 2, 3 and so on. A number
--    that is missing is not kept any more. After a loss of all data the stream has another begin.
--  * A stream has its last message, so there is no counter and no copy for sticky channels that could disagree with it.

local clock = redis.call('TIME') -- the only reading of time
local stream, retention, channel, payload = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
if retention == '0' then
  redis.call('PUBLISH', channel, payload)
  return {0}
end
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
local begin, number = string.match(last and last[1] or '', '^(%d+)-(%d+)$')
begin = begin or string.format('%.0f', clock[1] * 1000000 + clock[2])
number = (tonumber(number) or 0) + 1
redis.call('XADD', stream, 'MAXLEN', retention, begin .. '-' .. string.format('%.0f', number), 'payload', payload)
if channel ~= '' then
  redis.pcall('PUBLISH', channel, 'bell ' .. stream)
end
return {number}
