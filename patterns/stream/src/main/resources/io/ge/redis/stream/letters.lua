-- Lists or removes dead letters.
--
-- KEYS  the stream of dead letters
-- ARGV  'list', how many and how many bytes at most, except of the first; or 'delete' and an id
-- Reply of a list, newest first: for each letter its id, number of fields and values, fields and values; else {how many
--       were removed}
--
-- Invariant: a list writes nothing.

local letters = KEYS[1]
if ARGV[1] == 'delete' then
  return {redis.call('XDEL', letters, ARGV[2])}
end
local reply, to, bytes = {}, '+', tonumber(ARGV[3])
for _ = 1, tonumber(ARGV[2]) do
  local letter = redis.call('XREVRANGE', letters, to, '-', 'COUNT', 1)[1]
  for i = 1, letter and #letter[2] or 0 do
    bytes = bytes - #letter[2][i]
  end
  if not letter or (bytes < 0 and #reply > 0) then
    return reply
  end
  to = '(' .. letter[1]
  reply[#reply + 1] = letter[1]
  reply[#reply + 1] = #letter[2]
  for i = 1, #letter[2] do
    reply[#reply + 1] = letter[2][i]
  end
end
return reply
