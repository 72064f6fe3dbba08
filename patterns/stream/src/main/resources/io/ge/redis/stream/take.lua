-- Leases entries of streams to a consumer of a group: what was released or is to be tried again, what was left by
-- others, then what is new.
--
-- KEYS  for each stream asked: the stream, its stream of dead letters, and what the keys of its bodies begin with
-- ARGV  group, consumer, length and life in milliseconds of the streams of dead letters, as of settle.lua; how many
--       entries, '1' to look for what others have left, min-idle in milliseconds, most deliveries, '1' if entries of a
--       stream follow one another, for how many milliseconds replies of takes may have been lost or -1; then what the
--       consumer knows to have: stream, a space and the id
-- Reply {how many became dead letters, how many had been trimmed while pending, which stream is refused and why or '',
--       milliseconds of the clock;
--       then for each stream: 1 if its group was made, -1 if there is no such stream; id up to which it was read, or '' if
--       there may be more, '+' if it was also not looked for what others have left, '-' if an entry before has to be
--       settled first or it cannot be read; number of entries, for each of these id, number of deliveries, number of
--       fields and values, fields and values, its body or nil}
--
-- Invariants
--  * An entry that was delivered often enough is not given again: settle.lua makes it a dead letter.
--  * Nothing is taken from a consumer whose lease is not over, nor from this one what it says to have, and at most as
--    many as asked for are given.
--  * A consumer that has missed a reply is given the same again, and that counts as one delivery. What it was given
--    before that, in an earlier life of the process, is taken over as that of others.
--  * In order, nothing is given while an entry before it is pending.
--  * A group that does not exist is made, and has everything unread that is in the stream. A stream is not made.
--  * A stream that cannot be read keeps nothing of the others back.
-- Failed and released entries belong to the consumer '~retry', and are due once their idle time is that of DUE, as
-- settle.lua sets it. Each look is bounded by the number asked for or by SCANNED.

local group, me, dead_length, dead_life = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local most, looks, min_idle, most_deliveries = tonumber(ARGV[5]), ARGV[6] == '1', tonumber(ARGV[7]), tonumber(ARGV[8])
local ordered, uncertain, held = ARGV[9] == '1', tonumber(ARGV[10]), {}
local RETRY, DUE, PAGE, SCANNED = '~retry', 2592000000, 100, 1000

local dead, trimmed, refused = 0, 0, ''
for i = 11, #ARGV do
  held[ARGV[i]] = true
end
local given = 0

local function settle(KEYS, ARGV)
  --[[script]]
end

local function table_of(list)
  local fields = {}
  for i = 1, #list, 2 do
    fields[list[i]] = list[i + 1]
  end
  return fields
end

-- A body is the last field of its message
local function body_of(fields)
  return fields[#fields - 1] == 'body' and fields[#fields] or ''
end

local function give(keys, id, deliveries, fields)
  local out, body = keys.out, body_of(fields)
  given = given + 1
  out[#out + 1] = id
  out[#out + 1] = deliveries
  out[#out + 1] = #fields
  for i = 1, #fields do
    out[#out + 1] = fields[i]
  end
  out[#out + 1] = body ~= '' and redis.call('GET', keys.bodies .. body)
end

-- A replayed dead letter is for the group that gave it up, which is its first field; others acknowledge it
local function is_for_another(keys, id, fields)
  if fields[1] ~= 'ge_to' or fields[2] == group then
    return false
  end
  redis.call('XACK', keys.stream, group, id)
  return true
end

local function bury(keys, entry, fields)
  redis.call('XCLAIM', keys.stream, group, me, 0, entry[1], 'RETRYCOUNT', entry[4], 'JUSTID')
  local reply = settle({keys.stream, keys.dead, keys.bodies}, {group, me, dead_length, dead_life, '', 1, entry[1],
    entry[4], 'dead', body_of(fields), 6, 'kafka_deliveryAttempt', entry[4], 'ge_dlt-consumer', entry[2],
    'ge_dlt-reason', 'lease-expired'})
  if reply[1] == '' then
    dead = dead + 1
  else
    refused = reply[1]
  end
end

-- Takes over a pending entry whose time has come; returns whether it is given
local function take_over(keys, entry)
  local found = redis.call('XRANGE', keys.stream, entry[1], entry[1])[1]
  if not found then
    redis.call('XACK', keys.stream, group, entry[1])
    trimmed = trimmed + 1
    return false
  end
  if entry[4] >= most_deliveries then
    bury(keys, entry, found[2])
    return false
  end
  redis.call('XCLAIM', keys.stream, group, me, 0, entry[1], 'RETRYCOUNT', entry[4] + 1)
  give(keys, entry[1], entry[4] + 1, found[2])
  return true
end

local function take_again(keys)
  for _, entry in ipairs(redis.call('XPENDING', keys.stream, group, '-', '+', SCANNED, me)) do
    local found = given < most and entry[3] <= uncertain and not held[keys.stream .. ' ' .. entry[1]]
      and redis.call('XRANGE', keys.stream, entry[1], entry[1])[1]
    if found then
      redis.call('XCLAIM', keys.stream, group, me, 0, entry[1], 'RETRYCOUNT', entry[4])
      give(keys, entry[1], entry[4], found[2])
    end
  end
end

-- In an outage that lasts longer than a lease the consumer goes on with what it has
local function is_in_hand(keys, entry)
  return entry[2] == me and held[keys.stream .. ' ' .. entry[1]]
end

-- Takes over what a consumer has had for longer than a time
local function take_idle(keys, consumer, idle)
  local page = consumer == me and SCANNED or math.max(PAGE, most)
  for _, entry in ipairs(redis.call('XPENDING', keys.stream, group, 'IDLE', idle, '-', '+', page, consumer)) do
    if given < most and not is_in_hand(keys, entry) then
      take_over(keys, entry)
    end
  end
end

-- Returns the id of the last entry that was read, and how many were
local function take_unread(keys, number)
  local found = redis.call('XREADGROUP', 'GROUP', group, me, 'COUNT', number, 'STREAMS', keys.stream, '>')
  local entries = found and found[1] and found[1][2] or {}
  for _, entry in ipairs(entries) do
    if not is_for_another(keys, entry[1], entry[2]) then
      give(keys, entry[1], 1, entry[2])
    end
  end
  return entries[#entries] and entries[#entries][1], #entries
end

-- Both return the last id that was read, and '-', '+' or '' where the stream is not read to its end

local function take_in_order(keys)
  local last
  for _ = 1, PAGE do
    local entry = redis.call('XPENDING', keys.stream, group, '-', '+', 1)[1]
    if entry then
      if is_in_hand(keys, entry) or entry[3] < (entry[2] == RETRY and DUE or min_idle) or take_over(keys, entry) then
        return last, '-'
      end
    else
      local before = given
      local id, number = take_unread(keys, 1)
      last = id or last
      if number == 0 then
        return last
      end
      if given > before then
        return last, '-'
      end
    end
  end
  return last, ''
end

local function take_any(keys, pending)
  if pending > 0 then
    take_idle(keys, RETRY, DUE)
    for _, consumer in ipairs(looks and redis.call('XINFO', 'CONSUMERS', keys.stream, group) or {}) do
      local fields = table_of(consumer)
      if fields['name'] ~= RETRY and fields['pending'] > 0 then
        take_idle(keys, fields['name'], min_idle)
      end
    end
  end
  local wanted = most - given
  if wanted == 0 then
    return nil, '+'
  end
  local id, number = take_unread(keys, wanted)
  return id, number == wanted and '' or nil
end

-- Returns the position of the group, how many of its entries are pending, and whether it was made or -1
local function information(stream)
  if redis.call('EXISTS', stream) == 0 then
    return '0-0', 0, -1
  end
  local groups = redis.pcall('XINFO', 'GROUPS', stream)
  if groups.err then
    refused = "'" .. stream .. "': " .. groups.err
    return '-', 0, -1
  end
  for _, info in ipairs(groups) do
    local fields = table_of(info)
    if fields['name'] == group then
      return fields['last-delivered-id'], fields['pending'], 0
    end
  end
  redis.call('XGROUP', 'CREATE', stream, group, '0')
  return '0-0', 0, 1
end

local streams = {}
for key = 1, #KEYS, 3 do
  local keys = {stream = KEYS[key], dead = KEYS[key + 1], bodies = KEYS[key + 2], out = {}}
  local before, made, position = given, -1, '+'
  if given < most then
    local pending, id, open
    position, pending, made = information(keys.stream)
    if uncertain >= 0 and pending > 0 then
      take_again(keys)
    end
    if made >= 0 then
      if ordered then
        id, open = take_in_order(keys)
      else
        id, open = take_any(keys, pending)
      end
    end
    position = open or id or position
  end
  streams[#streams + 1] = {made, position, given - before, keys.out}
end

local clock = redis.call('TIME') -- the only reading of time
local reply = {dead, trimmed, refused, clock[1] * 1000 + math.floor(clock[2] / 1000)}
for _, stream in ipairs(streams) do
  for i = 1, 3 do
    reply[#reply + 1] = stream[i]
  end
  for i = 1, #stream[4] do
    reply[#reply + 1] = stream[4][i]
  end
end
return reply
