-- Ends or extends deliveries: acknowledges them, has them delivered again, or makes them dead letters.
--
-- KEYS  for each stream: the stream, its stream of dead letters, and what the keys of its bodies begin with
-- ARGV  group, consumer, length and life in milliseconds of the streams of dead letters (0 for none: such an entry is
--       dropped), channel to wake other consumers or ''; then for each delivery: index of its stream, id, number of
--       deliveries, 'done', 'retry', 'dead', 'release' or 'extend', milliseconds until a retry is due, else its body if
--       that goes or is to be kept with it, or '', number of headers and values, headers and values
-- Reply {why a dead letter could not be written or '', number of deliveries that had been trimmed, then the positions
--       of deliveries, from 0, that belong to another consumer by now or are gone}
--
-- Invariants
--  * Only the consumer to which an entry was delivered last settles it: holder and number of deliveries are compared.
--  * A dead letter is written before the acknowledgement. If it is refused, the entry is to be tried again in a second.
--  * An entry that was trimmed stays pending when it is extended, so that its finder counts it.
--  * May be repeated: an entry that is settled has another holder, or is gone.
-- What is due later has an idle time that is less than DUE by as much. A release wakes others by the channel: 'bell '
-- and the stream.

local group, me = ARGV[1], ARGV[2]
local dead_length, dead_life, channel = ARGV[3], ARGV[4], ARGV[5]
local RETRY, DUE, MOST_FIELDS = '~retry', 2592000000, 7000

local refused, trimmed, lost, freed = '', 0, {}, {}

local function hand_over(stream, id, pause, deliveries)
  if not redis.call('XRANGE', stream, id, id)[1] then
    redis.call('XACK', stream, group, id)
    trimmed = trimmed + 1
    return
  end
  redis.call('XCLAIM', stream, group, RETRY, 0, id, 'IDLE', DUE - pause, 'RETRYCOUNT', deliveries, 'JUSTID')
end

-- The headers are the arguments between two positions. The entry follows them as it is
local function bury(stream, letters, id, deliveries, body, from, to)
  if dead_length ~= '0' then
    local letter = {'XADD', letters, 'MAXLEN', '~', dead_length, '*', 'ge_v',
      '1 dead ' .. 4 + (to - from + 1) / 2, 'kafka_dlt-original-topic', stream,
      'kafka_dlt-original-consumer-group', group, 'kafka_dlt-original-offset', id,
      'kafka_dlt-original-timestamp', string.match(id, '^%d+')}
    for i = from, to do
      letter[#letter + 1] = ARGV[i]
    end
    local found = redis.call('XRANGE', stream, id, id)[1]
    local fields = found and found[2] or {}
    for i = 1, math.min(#fields, MOST_FIELDS) do
      letter[#letter + 1] = fields[i]
    end
    local written = redis.pcall(unpack(letter))
    if type(written) == 'table' then
      refused = "'" .. letters .. "': " .. written.err
      hand_over(stream, id, 1000, deliveries)
      return
    end
    redis.call('PEXPIRE', letters, dead_life)
    if body then
      redis.call('PEXPIRE', body, dead_life)
    end
  end
  redis.call('XACK', stream, group, id)
end

local argument, position = 6, 0
while argument <= #ARGV do
  local index, id, deliveries = tonumber(ARGV[argument]), ARGV[argument + 1], tonumber(ARGV[argument + 2])
  local outcome, detail, number = ARGV[argument + 3], ARGV[argument + 4], tonumber(ARGV[argument + 5])
  local stream, body = KEYS[3 * index - 2], detail ~= '' and KEYS[3 * index] .. detail
  -- Of a group that is gone nothing can be settled
  local pending = redis.pcall('XPENDING', stream, group, id, id, 1, me)[1]
  if not pending or pending[4] ~= deliveries then
    lost[#lost + 1] = position
  elseif outcome == 'done' then
    redis.call('XACK', stream, group, id)
    if body then
      redis.call('DEL', body)
    end
  elseif outcome == 'retry' then
    hand_over(stream, id, detail, deliveries)
  elseif outcome == 'release' then
    hand_over(stream, id, 0, deliveries - 1)
    freed[stream] = true
  elseif outcome == 'extend' then
    if redis.call('XRANGE', stream, id, id)[1] then
      redis.call('XCLAIM', stream, group, me, 0, id, 'JUSTID')
    end
  else
    bury(stream, KEYS[3 * index - 1], id, deliveries, body, argument + 6, argument + 5 + number)
  end
  argument, position = argument + 6 + number, position + 1
end
if channel ~= '' then
  for i = 1, #KEYS, 3 do
    if freed[KEYS[i]] then
      redis.pcall('PUBLISH', channel, 'bell ' .. KEYS[i])
    end
  end
end
local reply = {refused, trimmed}
for i = 1, #lost do
  reply[#reply + 1] = lost[i]
end
return reply
