-- Leases entries of streams to a consumer of a group: what was released, what is to be tried again or was left by
-- others, then what is new.
--
-- KEYS  for each stream asked: the stream, and what the keys of its bodies begin with
-- ARGV  group, consumer, how many entries, '1' to look for retries that are due and for what others have left,
--       min-idle in milliseconds, first and longest pause before a retry in milliseconds, '1' if entries of a stream
--       follow one another, for how many milliseconds replies of takes may have been lost or -1; then what the consumer
--       knows to have: stream, a space and the id
-- Reply {milliseconds until there is something to look for, such as a retry, or -1; how many had been trimmed while
--       pending, which stream is refused and why or '', milliseconds of the clock;
--       then for each stream: 1 if its group was made, -1 if there is no such stream; id up to which it was read, '' if
--       there may be more or '-' if an entry before has to be settled first or it cannot be read; number of entries,
--       for each of these id, number of deliveries, the consumer that had it before or '', number of fields and values,
--       fields and values, its body or nil}
--
-- Invariants
--  * The number of deliveries counts whatever becomes of them. Of an entry that was delivered too often the consumer
--    makes a dead letter, before any handler sees it.
--  * Nothing is taken from a consumer whose lease is not over, nor from this one what it says to have, and at most as
--    many as asked for are given.
--  * A consumer that has missed a reply is given the same again, and that counts as one delivery. What it was given
--    before that, in an earlier life of the process, is taken over as that of others.
--  * In order, nothing is given while an entry before it is pending.
--  * A group that does not exist is made, and has everything unread that is in the stream. A stream is not made.
--  * A stream that cannot be read keeps nothing of the others back.
-- Failed and released entries belong to the consumer '~retry': its idle time counts from the failure, and that of
-- released ones is a day. Each look is bounded by the number asked for or by SCANNED. A stream for which no permit was
-- left is looked at again after UNLOOKED milliseconds.

local group, me, most, reclaims = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'
local min_idle, first_pause, longest_pause = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local ordered, uncertain, held = ARGV[8] == '1', tonumber(ARGV[9]), {}
local RETRY, RELEASED, PAGE, SCANNED, UNLOOKED = '~retry', 43200000, 100, 1000, 1000

local due, trimmed, refused = -1, 0, ''
for i = 10, #ARGV do
  held[ARGV[i]] = true
end
local given = 0

local function pause(deliveries)
  return math.min(longest_pause, first_pause * 2 ^ math.min(math.max(deliveries, 1) - 1, 30))
end

local function is_due(entry)
  local rest = math.ceil(pause(entry[4]) - entry[3])
  if rest > 0 and (due < 0 or rest < due) then
    due = rest
  end
  return rest <= 0
end

local function table_of(list)
  local fields = {}
  for i = 1, #list, 2 do
    fields[list[i]] = list[i + 1]
  end
  return fields
end

-- A body is the last field of its message
local function body_of(keys, fields)
  return fields[#fields - 1] == 'body' and keys.bodies .. fields[#fields]
end

local function give(keys, id, deliveries, fields, before)
  local out, body = keys.out, body_of(keys, fields)
  given = given + 1
  out[#out + 1] = id
  out[#out + 1] = deliveries
  out[#out + 1] = before or ''
  out[#out + 1] = #fields
  for i = 1, #fields do
    out[#out + 1] = fields[i]
  end
  out[#out + 1] = body and redis.call('GET', body)
end

-- A replayed dead letter is for the group that gave it up, which is its first field; others acknowledge it
local function is_for_another(keys, id, fields)
  if fields[1] ~= 'ge_to' or fields[2] == group then
    return false
  end
  redis.call('XACK', keys.stream, group, id)
  return true
end

-- Takes over a pending entry whose time has come; returns whether there is one
local function take_over(keys, entry)
  local found = redis.call('XRANGE', keys.stream, entry[1], entry[1])[1]
  if not found then
    redis.call('XACK', keys.stream, group, entry[1])
    trimmed = trimmed + 1
    return false
  end
  redis.call('XCLAIM', keys.stream, group, me, 0, entry[1], 'RETRYCOUNT', entry[4] + 1)
  give(keys, entry[1], entry[4] + 1, found[2], entry[2])
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

-- What could be given to somebody with more permits is due at once, for who has the next one
local function take_over_or_leave(keys, entry)
  if given == most then
    due = 1
    return false
  end
  take_over(keys, entry)
  return true
end

-- In an outage that lasts longer than a lease the consumer goes on with what it has
local function is_in_hand(keys, entry)
  return entry[2] == me and held[keys.stream .. ' ' .. entry[1]]
end

-- Takes over what a consumer has had for longer than a time
local function take_idle(keys, consumer, idle)
  local page = consumer == me and SCANNED or most - given + 1
  for _, entry in ipairs(redis.call('XPENDING', keys.stream, group, 'IDLE', idle, '-', '+', page, consumer)) do
    if not is_in_hand(keys, entry) and not take_over_or_leave(keys, entry) then
      return
    end
  end
end

local function take_retries(keys)
  local from, scanned = '-', 0
  while scanned < SCANNED do
    local page = redis.call('XPENDING', keys.stream, group, from, '+', PAGE, RETRY)
    for _, entry in ipairs(page) do
      if is_due(entry) and not take_over_or_leave(keys, entry) then
        return
      end
    end
    if #page < PAGE then
      return
    end
    from, scanned = '(' .. page[#page][1], scanned + #page
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

-- Both return the last id that was read, and '-' or '' where the stream is not read to its end

local function take_in_order(keys)
  local last
  for _ = 1, PAGE do
    local entry = redis.call('XPENDING', keys.stream, group, '-', '+', 1)[1]
    if entry then
      if is_in_hand(keys, entry) or (entry[2] == RETRY and not is_due(entry))
        or (entry[2] ~= RETRY and entry[3] < min_idle) or take_over(keys, entry) then
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
    take_idle(keys, RETRY, RELEASED)
    if reclaims then
      take_retries(keys)
      for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', keys.stream, group)) do
        local fields = table_of(consumer)
        if fields['name'] ~= RETRY and fields['pending'] > 0 then
          take_idle(keys, fields['name'], min_idle)
        end
      end
    end
  end
  if given == most then
    return nil, ''
  end
  local wanted = most - given
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
for key = 1, #KEYS, 2 do
  local keys = {stream = KEYS[key], bodies = KEYS[key + 1], out = {}}
  local before, made, position = given, -1, ''
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
  elseif reclaims then
    due = due < 0 and UNLOOKED or math.min(due, UNLOOKED)
  end
  streams[#streams + 1] = {made, position, given - before, keys.out}
end

local clock = redis.call('TIME') -- the only reading of time
local reply = {due, trimmed, refused, clock[1] * 1000 + math.floor(clock[2] / 1000)}
for _, stream in ipairs(streams) do
  for i = 1, 3 do
    reply[#reply + 1] = stream[i]
  end
  for i = 1, #stream[4] do
    reply[#reply + 1] = stream[4][i]
  end
end
return reply
