-- Lists the dead letters of a queue, the newest first, without their payloads.
--
-- KEYS  as in enqueue.lua
-- ARGV  how many at most
-- Reply for each {6, id of the letter, id of the job, attempts, priority, reason, problem}
--
-- Invariant: writes nothing.

local reply = {}
for _, letter in ipairs(redis.call('XREVRANGE', KEYS[7], '+', '-', 'COUNT', ARGV[1])) do
  local fields = {}
  for i = 1, #letter[2], 2 do
    fields[letter[2][i]] = letter[2][i + 1]
  end
  for _, part in ipairs({6, letter[1], fields.id, tonumber(fields.attempts), tonumber(fields.priority), fields.reason,
    fields.problem}) do
    reply[#reply + 1] = part
  end
end
return reply
