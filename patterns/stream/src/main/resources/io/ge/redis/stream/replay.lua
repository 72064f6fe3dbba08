-- Publishes a dead letter again and removes it from the list.
--
-- KEYS  the stream of dead letters, then those of publish.lua, without dedup key and body
-- ARGV  id of the dead letter; '1' if only the group that gave it up is to handle it; then the first
--       arguments of publish.lua, up to the groups
-- Reply {'ok', id, number} | {'full', milliseconds, ''} as of publish.lua, or {'gone', '', ''} if there is no such letter
--
-- Invariants
--  * What follows the headers of the letter is published byte for byte.
--  * The letter is published and removed by this one script, so two replays publish it once. If the removal is refused,
--    it stays in the list and may be replayed again.

local letters, id, alone = KEYS[1], ARGV[1], ARGV[2] == '1'

local function publish(KEYS, ARGV)
  --[[script]]
end

local letter = redis.call('XRANGE', letters, id, id)[1]
if not letter then
  return {'gone', '', ''}
end
-- What follows the headers is published as it is, behind a mark with its first time and its group
local fields, from, time, group = letter[2], 1, string.match(id, '^%d+'), ''
local headers = tonumber(fields[1] == 'ge_v' and string.match(fields[2], '^1 dead (%d+)$') or nil)
if headers then
  from = 3 + 2 * headers
  for i = 3, math.min(#fields, from - 1), 2 do
    if fields[i] == 'kafka_dlt-original-timestamp' then
      time = fields[i + 1]
    elseif fields[i] == 'kafka_dlt-original-consumer-group' and alone then
      group = fields[i + 1]
    end
  end
end
local first = fields[from] == 'ge_v' and string.match(fields[from + 1], '^1 replay (%d+) ')
if first then
  from, time = from + 2, first
end
local published = {'ge_v', '1 replay ' .. time .. ' ' .. group}
for i = from, #fields do
  published[#published + 1] = fields[i]
end
local arguments = {unpack(ARGV, 3)}
for _, argument in ipairs({'0', '', '', #published}) do
  arguments[#arguments + 1] = argument
end
for i = 1, #published do
  arguments[#arguments + 1] = published[i]
end
local reply = publish({KEYS[2], KEYS[2], KEYS[2]}, arguments)
if reply[1] == 'ok' then
  redis.call('XDEL', letters, id)
end
return reply
