-- Reads what is new in a reliable channel.
--
-- KEYS  stream of the channel
-- ARGV  position, or '' to begin; 1 to begin with the last message, 0 to begin behind it; how many messages; how many
--       bytes at most, except of the first
-- Reply {how many messages are missing before these, -1 if Redis has lost data; next position; then for each message:
--       number, payload}
--
-- A position is the id of an entry, a space and its n; for entries see publish.lua. Nothing is missing if the next entry
-- names it. Else the numbers say how many are missing, if the stream began at the same time.
-- Invariant: writes nothing.

local stream, position, count, bytes = KEYS[1], ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])

local function following(id)
  return redis.call('XRANGE', stream, '(' .. id, '+', 'COUNT', 1)[1]
end

local last = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1] or {'0-0', {'n', '0-0'}}
local begin, number = string.match(last[2][2], '^(%d+)-(%d+)$')
local newest = last[1] .. ' ' .. last[2][2]
if position == '' then
  return ARGV[2] == '1' and last[2][6] and {0, newest, tonumber(number), last[2][6]} or {0, newest}
end
local id, of, known = string.match(position, '^(%S+) (%d+)-(%d+)$')
local reply = {0, position}
local entry = following(id)
if not entry and last[1] ~= id then
  reply = {-1, newest}
  entry = of ~= begin and following('0-0')
end
while entry and #reply < 2 + 2 * count do
  bytes = bytes - #entry[2][6]
  if bytes < 0 and #reply > 2 then
    break
  end
  local first, found = string.match(entry[2][2], '^(%d+)-(%d+)$')
  if #reply == 2 and entry[2][4] ~= id then
    local missed = found - known - 1
    reply[1] = (first == of or of == '0') and missed > 0 and missed or -1
  end
  reply[2] = entry[1] .. ' ' .. entry[2][2]
  reply[#reply + 1], reply[#reply + 2] = tonumber(found), entry[2][6]
  entry = following(entry[1])
end
return reply
