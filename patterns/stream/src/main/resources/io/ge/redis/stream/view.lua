-- Looks at a stream, its groups and its dead letters.
--
-- KEYS  the stream, its stream of dead letters
-- ARGV  max-length, the groups
-- Reply {length, number of dead letters, age of the last one in milliseconds or -1, 1 if the stream is full of what a
--       group needs, then for each group: consumers, pending, unread or -1 if that is not known, ages of the oldest
--       unread and of the oldest pending entry in milliseconds or -1}
--
-- Invariant: writes nothing.

local stream, letters, max = KEYS[1], KEYS[2], tonumber(ARGV[1])
local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local function table_of(list)
  local fields = {}
  for i = 1, #list, 2 do
    fields[list[i]] = list[i + 1]
  end
  return fields
end

local function age(entry)
  return entry and math.max(0, now - tonumber(string.match(entry[1], '^%d+'))) or -1
end

local function first(from)
  return redis.call('XRANGE', stream, from, '+', 'COUNT', 1)[1]
end

local found = {}
local infos = redis.pcall('XINFO', 'GROUPS', stream)
for _, info in ipairs(infos.err and {} or infos) do
  local fields = table_of(info)
  found[fields['name']] = fields
end

local length, oldest = redis.call('XLEN', stream), first('-')
local reply = {length, redis.call('XLEN', letters), age(redis.call('XREVRANGE', letters, '+', '-', 'COUNT', 1)[1]), 0}
for i = 2, #ARGV do
  local fields = found[ARGV[i]] or {['last-delivered-id'] = '0-0', pending = 0, lag = length}
  local consumers = 0
  for _, consumer in ipairs(found[ARGV[i]] and redis.call('XINFO', 'CONSUMERS', stream, ARGV[i]) or {}) do
    consumers = consumers + (consumer[2] ~= '~retry' and 1 or 0)
  end
  local unread = first('(' .. fields['last-delivered-id'])
  local pending = fields['pending'] > 0 and redis.call('XPENDING', stream, ARGV[i], '-', '+', 1)[1] or nil
  for _, needed in ipairs({unread or false, pending or false}) do
    if length >= max and needed and oldest and needed[1] == oldest[1] then
      reply[4] = 1
    end
  end
  for _, figure in ipairs({consumers, fields['pending'], unread and (fields['lag'] or -1) or 0, age(unread),
    age(pending)}) do
    reply[#reply + 1] = figure
  end
end
return reply
