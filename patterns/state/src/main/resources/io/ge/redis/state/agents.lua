-- Keeps the directory of the agents that work on a workspace, and their private memories.
--
-- KEYS  of the workspace: fields, meta, changes, operations, directory; then the memory of the agent, if there is one
-- ARGV  join, list, remember or recall, agent or '', milliseconds that the keys live, milliseconds after which an agent that
--       was not seen is a member no more, field or '', value as JSON or '' to remove the field
-- Reply of join and list {the members, longest seen first}, of recall {name and JSON of each field in turn}, of remember
--       {how many fields were added or removed}
--
-- Invariants: each may be repeated. List and recall write nothing. All keys expire at the same instant after the others.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local directory, memory = KEYS[5], KEYS[6]
local action, agent, ttl, member, field, value = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], ARGV[6]
local gone, number = string.format('%.0f', now - member), 0

if action == 'recall' then
  return redis.call('HGETALL', memory)
end
if action ~= 'list' then
  redis.call('ZREMRANGEBYSCORE', directory, '-inf', gone)
  if action == 'remember' then
    number = value == '' and redis.call('HDEL', memory, field) or redis.call('HSET', memory, field, value)
  end
  redis.call('ZADD', directory, string.format('%.0f', now), agent)
  for _, key in ipairs(KEYS) do
    redis.call('PEXPIREAT', key, string.format('%.0f', now + ttl))
  end
end
return action == 'remember' and {number} or redis.call('ZRANGEBYSCORE', directory, '(' .. gone, '+inf')
