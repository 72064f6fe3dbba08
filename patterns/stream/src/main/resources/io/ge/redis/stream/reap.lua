-- Removes consumers that have nothing pending: one that leaves, or those that were not seen for long.
--
-- KEYS  the streams
-- ARGV  group, the consumer that leaves or '', time without a sign of life in milliseconds, channel to wake those who
--       waited for the one that leaves, or ''
-- Reply {number of consumers that were removed}
--
-- Invariant: nothing is pending for a consumer when it goes, or its entries would be lost with it.

local group, leaving, silent, channel = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local removed = 0
for _, stream in ipairs(KEYS) do
  local consumers = redis.pcall('XINFO', 'CONSUMERS', stream, group)
  for _, consumer in ipairs(consumers.err and {} or consumers) do
    local fields = {}
    for i = 1, #consumer, 2 do
      fields[consumer[i]] = consumer[i + 1]
    end
    local goes = fields['idle'] > silent and fields['name'] ~= '~retry'
    if leaving ~= '' then
      goes = fields['name'] == leaving
    end
    if goes and fields['pending'] == 0 then
      redis.call('XGROUP', 'DELCONSUMER', stream, group, fields['name'])
      removed = removed + 1
    end
  end
  if channel ~= '' then
    redis.pcall('PUBLISH', channel, 'bell ' .. stream)
  end
end
return {removed}
