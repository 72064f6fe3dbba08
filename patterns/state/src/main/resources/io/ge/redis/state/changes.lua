-- Reads what has changed in a workspace since a version.
--
-- KEYS  of the workspace: fields, meta, changes, and those that are not read
-- ARGV  the version, how many changes at most
-- Reply {2, version of the workspace, when it began, or 0}, then for each change, oldest first: number of elements that
--       follow, version, and the elements of its entry; all of this in one list. change.lua explains them
--
-- Invariant: writes nothing.

local meta, changes = KEYS[2], KEYS[3]
local since, most = tonumber(ARGV[1]), ARGV[2]

local state = redis.call('HMGET', meta, 'v', 'b')
local reply = {2, state[1] or '0', state[2] or '0'}
local start = string.format('%.0f', since + 1)
for _, entry in ipairs(redis.call('XRANGE', changes, start, '+', 'COUNT', most)) do
  reply[#reply + 1] = #entry[2] + 1
  reply[#reply + 1] = string.match(entry[1], '^%d+')
  for _, element in ipairs(entry[2]) do
    reply[#reply + 1] = element
  end
end
return reply
