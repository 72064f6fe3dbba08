-- Reads a circuit for operators, or removes the report of an instance that stops.
--
-- KEYS  state, reports; both with the entity's hash tag
-- ARGV  instance whose report is removed, or empty
-- Reply fields and values of the state, then those of the reports whose names have 'r ' before them
--
-- Invariant: nothing else is changed.

if ARGV[1] ~= '' then
  redis.call('HDEL', KEYS[2], ARGV[1])
end
local reply, reports = redis.call('HGETALL', KEYS[1]), redis.call('HGETALL', KEYS[2])
for i = 1, #reports, 2 do
  reply[#reply + 1] = 'r ' .. reports[i]
  reply[#reply + 1] = reports[i + 1]
end
return reply
