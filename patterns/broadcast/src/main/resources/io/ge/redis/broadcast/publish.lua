-- Publishes a message.
--
-- KEYS  stream, counter and last value of the channel
-- ARGV  how many messages are kept, 0 in an ephemeral channel; 1 to keep the last value or 0; channel to ring, or of the
--       messages themselves if none is kept, or ''; payload
-- Reply {number of the message, 0 if it is not kept}
--
-- Invariants
--  * Messages have the numbers 1, 2, 3 and so on, in the order of the stream. A number that is missing was not published
--    or is not kept any more.
--  * The last value is never older than the last message.
-- If the first write is refused, nothing has happened. If the last one is, a number is missing.

local stream, counter, value = KEYS[1], KEYS[2], KEYS[3]
local retention, sticky, channel, payload = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
if retention == '0' then
  redis.call('PUBLISH', channel, payload)
  return {0}
end
local number = redis.call('INCR', counter)
if sticky == '1' then
  redis.call('SET', value, number .. ' ' .. payload)
end
redis.call('XADD', stream, 'MAXLEN', retention, '*', 'n', number, 'payload', payload)
if channel ~= '' then
  redis.pcall('PUBLISH', channel, 'bell ' .. stream)
end
return {number}
