-- Reads what is new in a reliable channel.
--
-- KEYS  stream of the channel
-- ARGV  id of the last message that is known, or '' to begin; 1 to begin with the last message, 0 to begin behind it; how
--       many messages; how many bytes at most, except of the first
-- Reply {how many messages are missing before these, -1 if Redis has lost data; id after which to read on; then for each
--       message: number, payload}
--
-- Invariant: writes nothing. For the ids see publish.lua.

local stream, after, count, bytes = KEYS[1], ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])

local function parts(id)
  local begin, number = string.match(id, '^(%d+)-(%d+)$')
  return begin, tonumber(number)
end

local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
local id = last and last[1] or '0-0'
local begin, number = parts(id)
if after == '' then
  return ARGV[2] == '1' and last and {0, id, number, last[2][2]} or {0, id}
end
local of, known = parts(after)
local lost = known > 0 and (of ~= begin or number < known)
local reply = {lost and -1 or 0, lost and '0-0' or after}
while #reply < 2 + 2 * count do
  local entry = redis.call('XRANGE', stream, '(' .. reply[2], '+', 'COUNT', 1)[1]
  bytes = bytes - (entry and #entry[2][2] or 0)
  if not entry or (bytes < 0 and #reply > 2) then
    break
  end
  local _, found = parts(entry[1])
  if #reply == 2 and not lost then
    reply[1] = found - known - 1
  end
  reply[2] = entry[1]
  reply[#reply + 1], reply[#reply + 2] = found, entry[2][2]
end
return reply
