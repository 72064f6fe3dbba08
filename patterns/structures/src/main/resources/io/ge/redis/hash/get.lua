-- Reads fields of an object.
--
-- KEYS  object
-- ARGV  field, ..., or none for all
-- Reply {1 if there is such an object or 0, then for each field that it has: field, value}
--
-- Invariant: writes nothing.

local key = KEYS[1]

local reply = {0}
if #ARGV == 0 then
  for _, part in ipairs(redis.call('HGETALL', key)) do
    reply[#reply + 1] = part
  end
else
  for i, value in ipairs(redis.call('HMGET', key, unpack(ARGV))) do
    if value then
      reply[#reply + 1] = ARGV[i]
      reply[#reply + 1] = value
    end
  end
end
if #reply > 1 or redis.call('EXISTS', key) == 1 then
  reply[1] = 1
end
return reply
