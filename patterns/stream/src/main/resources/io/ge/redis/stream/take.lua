-- Leases entries of streams to a consumer of a group: what was released or is to be tried again, what was left by
-- others, then what is new.
--
-- KEYS  for each stream asked: the stream, its stream of dead letters, and what the keys of its bodies begin with
-- ARGV  group, consumer, length and life in milliseconds of the streams of dead letters, as of settle.lua; how many
--       entries, '1' to look for what others have left, min-idle in milliseconds, most deliveries, '1' if entries of a
--       stream follow one another, for how many milliseconds replies of takes may have been lost or -1, how many bytes
--       at most, from how many bytes on a lost reply counts as a delivery, from where a group is made; then what the consumer knows to have: stream, a
--       space and the id
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
--    many as asked for are given, and no more bytes with their bodies, except of the first.
--  * A consumer that has missed a reply is given the same again, and that counts as one delivery. What it was given
--    before that, in an earlier life of the process, is taken over like any other. Only a message above the last bound
--    is counted each time, unless that was only just, as all late takes are run together after an outage.
--  * In order, nothing is given while an entry before it is pending.
--  * A group that does not exist is made, from '0' with everything that is in the stream, which is not made. From '$'
--    it is made with the stream, or what is published before the next take would count as old.
--  * A stream that cannot be read keeps nothing of the others back.
-- Failed and released entries belong to the consumer '~retry', and are due once their idle time is the one of DUE, as
-- settle.lua sets it. Each look is bounded by the number asked for or by SCANNED.

local group, me, dead_length, dead_life = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local most, looks, min_idle, most_deliveries = tonumber(ARGV[5]), ARGV[6] == '1', tonumber(ARGV[7]), tonumber(ARGV[8])
local ordered, uncertain, bytes, large = ARGV[9] == '1', tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local start, held = ARGV[13], {}
local RETRY, DUE, PAGE, SCANNED, LOOKED = '~retry', 2592000000, 100, 1000, 10
local TOGETHER = 100

local dead, trimmed, refused = 0, 0, ''
for i = 14, #ARGV do
  held[ARGV[i]] = true
end
local given, full = 0, false

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

-- Other fields than the first one may be called as those of this library
local function mark_of(fields, position)
  return fields[position] == 'ge_v' and fields[position + 1] or ''
end

-- The last field of a message names the key of its body
local function body_of(fields)
  local mark = mark_of(fields, 1)
  if string.find(mark, '^1 replay ') then
    mark = mark_of(fields, 3)
  end
  return string.find(mark, '^%d+$') and fields[#fields - 1] == 'body' and fields[#fields] or ''
end

local function length_of(keys, fields)
  local length, body = 0, body_of(fields)
  for i = 1, #fields do
    length = length + #fields[i]
  end
  return length + (body ~= '' and redis.call('STRLEN', keys.bodies .. body) or 0)
end

-- Where an entry is too much beside those before it, nothing more is given
local function fits(length)
  if given > 0 and length > bytes then
    most, full = given, true
  end
  return not full
end

local function give(keys, id, deliveries, fields, length)
  local out, body = keys.out, body_of(fields)
  given, bytes = given + 1, bytes - length
  out[#out + 1] = id
  out[#out + 1] = deliveries
  out[#out + 1] = #fields
  for i = 1, #fields do
    out[#out + 1] = fields[i]
  end
  out[#out + 1] = body ~= '' and redis.call('GET', keys.bodies .. body)
end

-- A replayed dead letter is for the group that gave it up; others acknowledge it
local function is_for_another(fields)
  local name = string.match(mark_of(fields, 1), '^1 replay %d+ (.+)$')
  return name and name ~= group
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

-- Takes over a pending entry whose time has come, or gives one again; returns whether it stays pending
local function take_over(keys, entry, again)
  local found = redis.call('XRANGE', keys.stream, entry[1], entry[1])[1]
  if not found then
    redis.call('XACK', keys.stream, group, entry[1])
    trimmed = trimmed + 1
    return false
  end
  if is_for_another(found[2]) then
    redis.call('XACK', keys.stream, group, entry[1])
    return false
  end
  local length = length_of(keys, found[2])
  local counts = not again or (length > large and entry[3] >= TOGETHER)
  if counts and entry[4] >= most_deliveries then
    bury(keys, entry, found[2])
    return false
  end
  if fits(length) then
    local deliveries = entry[4] + (counts and 1 or 0)
    redis.call('XCLAIM', keys.stream, group, me, 0, entry[1], 'RETRYCOUNT', deliveries)
    give(keys, entry[1], deliveries, found[2], length)
  end
  return true
end

-- Gives what replies were lost with, and returns whether all that the consumer has was looked at
local function take_again(keys)
  local from = '-'
  for _ = 1, LOOKED do
    local page = redis.call('XPENDING', keys.stream, group, from, '+', SCANNED, me)
    for _, entry in ipairs(page) do
      if given < most and entry[3] <= uncertain and not held[keys.stream .. ' ' .. entry[1]] then
        take_over(keys, entry, true)
      end
    end
    if #page < SCANNED then
      return true
    end
    from = '(' .. page[#page][1]
  end
  return false
end

-- In an outage that lasts longer than a lease the consumer continues with what it has
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

-- Gives what follows an id, at most so many: those that fit are looked at before they are read. Returns the id of the
-- last entry that was read, and whether there may be more
local function take_unread(keys, after, number)
  local last, read, more = nil, 0, true
  while more and read < number and given < most do
    local page = math.min(number - read, LOOKED)
    local entries, taken = redis.call('XRANGE', keys.stream, '(' .. (last or after), '+', 'COUNT', page), 0
    more = #entries == page
    local others = {}
    for _, entry in ipairs(entries) do
      local length = length_of(keys, entry[2])
      if is_for_another(entry[2]) then
        others[#others + 1] = entry[1]
      elseif fits(length) then
        give(keys, entry[1], 1, entry[2], length)
      else
        more = true
        break
      end
      last, taken = entry[1], taken + 1
    end
    if taken > 0 then
      redis.call('XREADGROUP', 'GROUP', group, me, 'COUNT', taken, 'STREAMS', keys.stream, '>')
    end
    for _, id in ipairs(others) do
      redis.call('XACK', keys.stream, group, id)
    end
    read = read + taken
  end
  return last, more
end

-- Both return the last id that was read, and '-', '+' or '' where the stream is not read to its end

local function take_in_order(keys, after)
  local last
  for _ = 1, PAGE do
    local entry, before, waits, more = redis.call('XPENDING', keys.stream, group, '-', '+', 1)[1], given, false, true
    if entry then
      waits = is_in_hand(keys, entry) or entry[3] < (entry[2] == RETRY and DUE or min_idle) or take_over(keys, entry)
    elseif not full then
      local id
      id, more = take_unread(keys, last or after, 1)
      last = id or last
    end
    if full then
      return last, '+'
    elseif waits or given > before then
      return last, '-'
    elseif not more then
      return last
    end
  end
  return last, ''
end

local function take_any(keys, after, pending)
  if pending > 0 then
    take_idle(keys, RETRY, DUE)
    for _, consumer in ipairs(looks and redis.call('XINFO', 'CONSUMERS', keys.stream, group) or {}) do
      local fields = table_of(consumer)
      if fields['name'] ~= RETRY and fields['pending'] > 0 then
        take_idle(keys, fields['name'], min_idle)
      end
    end
  end
  if given == most then
    return nil, '+'
  end
  local id, more = take_unread(keys, after, most - given)
  return id, more and '' or nil
end

-- Returns the position of the group, how many of its entries are pending, and whether it was made or -1
local function information(stream)
  local exists = redis.call('EXISTS', stream) == 1
  if not exists and start == '0' then
    return '0-0', 0, -1
  end
  local groups = exists and redis.pcall('XINFO', 'GROUPS', stream) or {}
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
  redis.call('XGROUP', 'CREATE', stream, group, start, 'MKSTREAM')
  return start == '0' and '0-0' or (information(stream)), 0, 1
end

local streams = {}
for key = 1, #KEYS, 3 do
  local keys = {stream = KEYS[key], dead = KEYS[key + 1], bodies = KEYS[key + 2], out = {}}
  local before, made, position = given, -1, '+'
  if given < most then
    local pending, id, open
    local all = true
    position, pending, made = information(keys.stream)
    if uncertain >= 0 and pending > 0 then
      all = take_again(keys)
    end
    if made >= 0 then
      if ordered then
        id, open = take_in_order(keys, position)
      else
        id, open = take_any(keys, position, pending)
      end
    end
    position = not all and '+' or open or id or position
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
