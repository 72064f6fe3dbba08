-- Publishes a dead letter again and removes it from the list.
--
-- KEYS  the stream of dead letters, then those of publish.lua, without dedup key and body
-- ARGV  id of the dead letter; '1' if it is to be handled by nobody but the group that gave it up; then the first
--       arguments of publish.lua, up to the groups
-- Reply {'ok', id, number} | {'full', milliseconds, ''} as of publish.lua, or {'gone', '', ''} if there is no such letter
--
-- Invariant: the letter is published and removed by this one script, so two replays publish it once. If the removal is
-- refused, it stays in the list and may be replayed again.

local letters, id, alone = KEYS[1], ARGV[1], ARGV[2] == '1'

local function publish(KEYS, ARGV)
  --[[script]]
end

local letter = redis.call('XRANGE', letters, id, id)[1]
if not letter then
  return {'gone', '', ''}
end
-- The group comes first and a body last, where take.lua looks for them
local fields, time = {}, nil
for i = 1, #letter[2], 2 do
  local name, value = letter[2][i], letter[2][i + 1]
  if name == 'kafka_dlt-original-consumer-group' then
    name = alone and 'ge_to' or nil
  elseif name == 'kafka_dlt-original-timestamp' then
    name, time = 'time', #fields + 2
  elseif string.sub(name, 1, 6) == 'kafka_' or string.sub(name, 1, 3) == 'ge_' then
    name = nil
  elseif name == 'time' and time then
    fields[time], name = value, nil
  end
  if name then
    fields[#fields + 1] = name
    fields[#fields + 1] = value
  end
end
local arguments = {unpack(ARGV, 3)}
for _, argument in ipairs({'0', '', '', #fields}) do
  arguments[#arguments + 1] = argument
end
for i = 1, #fields do
  arguments[#arguments + 1] = fields[i]
end
local reply = publish({KEYS[2], KEYS[2], KEYS[2]}, arguments)
if reply[1] == 'ok' then
  redis.call('XDEL', letters, id)
end
return reply
