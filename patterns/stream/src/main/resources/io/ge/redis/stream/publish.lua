-- Appends messages to a stream of bounded length, unless they were published before, are too deep in a chain, or would
-- push out what a group still needs.
--
-- KEYS  the stream; then for each message its dedup key and the key of its body, the stream itself where it has none
-- ARGV  max-length, 'drop-oldest' or another overflow, dedup window and life of a body in milliseconds, greatest depth
--       or -1, channel and message to wake consumers or '' twice, number of groups; for each group its name and
--       min-idle in milliseconds; then for each message: depth, trigger id, body, number of its fields and values,
--       fields and values
-- Reply for each message: {'ok', id, how many unread ones were dropped for it} | {'duplicate', id of the first,
--       its trigger id} | {'full', milliseconds after which there may be room, ''} | {'depth', '', ''}
--
-- Invariants
--  * A message is appended at most once while its dedup key lives. That is written after the message: where XADD is
--    refused, a repetition appends.
--  * After an append the stream has at most max-length entries, and no entry is gone that a group given here has not
--    read and acknowledged, unless the overflow is 'drop-oldest'. A group that does not exist yet needs all of them.
--  * A message whose body is apart never exists without the body: that is written first, and ends by its own TTL.
--  * A message that is not appended writes nothing.

local stream, max, drops = KEYS[1], tonumber(ARGV[1]), ARGV[2] == 'drop-oldest'
local dedup_ttl, body_ttl, deepest = ARGV[3], ARGV[4], tonumber(ARGV[5])
local channel, bell, groups = ARGV[6], ARGV[7], tonumber(ARGV[8])
local next_argument = 9 + 2 * groups

-- Ids are compared as texts by length, since their numbers do not fit a double
local function is_before(one, other)
  local time, sequence = string.match(one, '^(%d+)-(%d+)$')
  local other_time, other_sequence = string.match(other, '^(%d+)-(%d+)$')
  if time ~= other_time then
    return #time < #other_time or (#time == #other_time and time < other_time)
  end
  return #sequence < #other_sequence or (#sequence == #other_sequence and sequence < other_sequence)
end

-- The range of entries that no group needs ends at 'free', which is '(id' before a pending entry
local function look()
  local found = {}
  local infos = redis.pcall('XINFO', 'GROUPS', stream)
  for _, info in ipairs(infos.err and {} or infos) do
    local fields = {}
    for i = 1, #info, 2 do
      fields[info[i]] = info[i + 1]
    end
    found[fields['name']] = fields
  end
  local free, free_id, read, wait
  for i = 1, groups do
    local name, idle = ARGV[7 + 2 * i], tonumber(ARGV[8 + 2 * i])
    local last = found[name] and found[name]['last-delivered-id'] or '0-0'
    local bound, id, rest = last, last, 0
    local pending = found[name] and found[name]['pending'] > 0 and redis.call('XPENDING', stream, name, '-', '+', 1)[1]
    if pending then
      bound, id, rest = '(' .. pending[1], pending[1], idle - pending[3]
    end
    if not free or is_before(id, free_id) or (id == free_id and pending) then
      free, free_id, wait = bound, id, rest
    end
    if not read or is_before(last, read) then
      read = last
    end
  end
  return free, read, wait
end

local length, free, read, wait = redis.call('XLEN', stream)

-- Returns whether there is room by now, and how many unread entries went for it
local function make_room()
  local over = length - max + 1
  if over <= 0 then
    return true, 0
  end
  if not free then
    free, read, wait = look()
  end
  local spare = #redis.call('XRANGE', stream, '-', free, 'COUNT', over)
  if spare < over and not drops then
    return false, 0
  end
  local unread = 0
  if spare < over then
    for _, entry in ipairs(redis.call('XRANGE', stream, '-', '+', 'COUNT', over)) do
      unread = unread + (is_before(read, entry[1]) and 1 or 0)
    end
  end
  redis.call('XTRIM', stream, 'MAXLEN', '=', max - 1)
  length = max - 1
  return true, unread
end

local function append(dedup, body_key, depth, trigger, body, from, to)
  if dedup ~= stream then
    local known = redis.call('GET', dedup)
    if known then
      return 'duplicate', string.match(known, '^(%S+) (.*)$')
    end
  end
  if deepest >= 0 and depth > deepest then
    return 'depth', '', ''
  end
  local roomy, unread = make_room()
  if not roomy then
    return 'full', math.max(1000, wait), ''
  end
  if body_key ~= stream then
    redis.call('SET', body_key, body, 'PX', body_ttl)
  end
  local id = redis.call('XADD', stream, '*', unpack(ARGV, from, to))
  length = length + 1
  if dedup ~= stream then
    redis.call('SET', dedup, id .. ' ' .. trigger, 'PX', dedup_ttl)
  end
  return 'ok', id, unread
end

local reply, appended = {}, false
for key = 2, #KEYS, 2 do
  local to = next_argument + 3 + tonumber(ARGV[next_argument + 3])
  local status, first, second = append(KEYS[key], KEYS[key + 1], tonumber(ARGV[next_argument]),
    ARGV[next_argument + 1], ARGV[next_argument + 2], next_argument + 4, to)
  reply[#reply + 1] = status
  reply[#reply + 1] = first
  reply[#reply + 1] = second
  appended = appended or status == 'ok'
  next_argument = to + 1
end
if appended and channel ~= '' then
  redis.pcall('PUBLISH', channel, bell)
end
return reply
