-- Reads what is new in a reliable channel.
--
-- KEYS  stream, counter and last value of the channel
-- ARGV  id of the last message that is known or '' to begin at the end, number of that, how many,
--       how many bytes at most, except of the first
-- Reply {id of the last message that the stream has or '0-0', last number, number of the last value or 0, last value, then
--       for each message: id, number, payload}
--
-- The last value is given if one begins, or if numbers do not say what the stream does: the number is not the known one
-- and nothing is new.
-- Invariant: writes nothing.

local stream, counter, value = KEYS[1], KEYS[2], KEYS[3]
local after, known, count, bytes = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)
local number = tonumber(redis.call('GET', counter) or '0')
local reply = {last[1] and last[1][1] or '0-0', number, 0, ''}
local next = after
while next ~= '' and #reply < 4 + 3 * count do
  local entry = redis.call('XRANGE', stream, '(' .. next, '+', 'COUNT', 1)[1]
  bytes = bytes - (entry and #entry[2][4] or 0)
  next = entry and (bytes >= 0 or #reply == 4) and entry[1] or ''
  if next ~= '' then
    for _, part in ipairs({entry[1], tonumber(entry[2][2]), entry[2][4]}) do
      reply[#reply + 1] = part
    end
  end
end
if #reply == 4 and (after == '' or number ~= known) then
  local of, kept = string.match(redis.call('GET', value) or '', '^(%d+) (.*)$')
  if of then
    reply[3], reply[4] = tonumber(of), kept
  end
end
return reply
