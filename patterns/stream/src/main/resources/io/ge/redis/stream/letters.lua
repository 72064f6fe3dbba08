-- Lists or removes dead letters.
--
-- KEYS  the stream of dead letters
-- ARGV  'list' and how many at most; or 'delete' and an id
-- Reply of a list, newest first: for each letter its id, number of fields and values, fields and values; else {how many
--       were removed}
--
-- Invariant: a list writes nothing.

local letters = KEYS[1]
if ARGV[1] == 'delete' then
  return {redis.call('XDEL', letters, ARGV[2])}
end
local reply = {}
for _, letter in ipairs(redis.call('XREVRANGE', letters, '+', '-', 'COUNT', ARGV[2])) do
  reply[#reply + 1] = letter[1]
  reply[#reply + 1] = #letter[2]
  for i = 1, #letter[2] do
    reply[#reply + 1] = letter[2][i]
  end
end
return reply
