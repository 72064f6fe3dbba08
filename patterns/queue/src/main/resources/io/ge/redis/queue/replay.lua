-- Puts a dead letter back into its queue, as a new job with the same priority, payload and key.
--
-- KEYS  of the queue, see enqueue.lua
-- ARGV  id of the letter, end of the id of the new job, how many jobs the queue may hold, channel to ring or ''
-- Reply {'gone', ''} without such a letter | the reply of enqueue.lua, whose text is inserted below
--
-- Invariant: the letter is removed once its job waits, so of two replays one finds it, and none loses it.

local function one(KEYS, ARGV)
  --[[script]]
end

local letter = redis.call('XRANGE', KEYS[7], ARGV[1], ARGV[1])[1]
if not letter then
  return {'gone', ''}
end
local fields = {}
for i = 1, #letter[2], 2 do
  fields[letter[2][i]] = letter[2][i + 1]
end
local key = string.match(fields.id, '^k%-%x+%-') or ''
local reply = one(KEYS, {key .. ARGV[2], fields.priority, '0', ARGV[3], '0', ARGV[4], fields.payload})
if reply[1] == 'ok' then
  redis.call('XDEL', KEYS[7], ARGV[1])
end
return reply
