-- Changes fields of a workspace, all or none of them, once for each operation id.
--
-- KEYS  of the workspace: fields, meta, changes, operations, directory; then the memory of the author, if there is one
-- ARGV  operation id, 0 if this is the first attempt, else how many milliseconds ago that was at most, milliseconds that the
--       keys live, milliseconds after which an agent that was not seen is a member no more, changes to keep, entries of a
--       list to keep, author or '', hash or json; then for each change: kind, field, version that the field must have or '',
--       value as JSON
-- Reply {'ok', version, new number of an increment or ''} | {'same', version} | {'conflict', version of the field} |
--       {'type', field, what it is} | {'absent', version} | {'unknown'} if it cannot be known whether the operation was
--       applied
--
-- Kinds are put, add (only where there is no such field), append, increment, remove and move (a put of what the memory of
-- the author has under that name, which is removed there). Of a workspace there are
--   fields     hash: name -> JSON; of a list: name, a zero byte, index -> JSON. Or a JSON document with all of that, for a
--              workspace that begins with json on a server that has JSON.SET
--   meta       hash: v -> version of the workspace, b -> the time in milliseconds at which it began, f: and name -> version
--              of the field; of a list in a hash also its first index and the one behind its last
--   changes    stream: version-0 -> o operation, t time in milliseconds, a author, then kind and field of each change
--   operations hash, for the changes that are kept: operation id -> version, a space, new number
--   directory  sorted set of agents by the time in milliseconds at which they were last seen
--
-- Invariants
--  * Versions have no gaps: each change raises the version of the workspace by one, and fields get that version.
--  * An operation that is among the changes to keep is never applied again, whether the caller, this library or
--    the driver repeats it; on a Cluster the driver does so silently.
--  * All keys expire at the same instant.
-- Everything is read before anything is written, so a key of a foreign type stops the script before it wrote. The first
-- write is a new document, else the increment, if there is one, else the entry of changes. If that is refused,
-- nothing has happened. Later ones are not refused: a server that has let a script write lets it continue.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local meta, changes, operations, directory, memory = unpack(KEYS, 2)
local operation, age, ttl, member = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local kept, longest, author = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local FIRST_CHANGE = 9
local BATCH, FORGOTTEN = 500, 100
local CLOCK_MILLIS = 1000

local function whole(number)
  return string.format('%.0f', number)
end

local done = redis.call('HGET', operations, operation)
if done then
  local at, sum = string.match(done, '^(%d+) (.*)$')
  return {'ok', at, sum}
end

local version = redis.call('HGET', meta, 'v')
local known = redis.call('XLEN', changes)
local begins = not version
if begins then
  local last = redis.call('XREVRANGE', changes, '+', '-', 'COUNT', 1)[1]
  version = last and string.match(last[1], '^%d+') or '0'
end
if author ~= '' then
  redis.call('ZSCORE', directory, author)
end

if age > 0 and tonumber(version) > known then
  -- Some operations are forgotten: only such as were applied before the first attempt?
  local oldest = redis.call('XRANGE', changes, '-', '+', 'COUNT', 1)[1]
  if not oldest or tonumber(oldest[2][4]) > now - age - CLOCK_MILLIS then
    return {'unknown'}
  end
end

local function look(name)
  local state = redis.call('HGET', meta, 'f:' .. name) or '0'
  local own, first, behind = string.match(state, '^(%d+) ?(%d*) ?(%d*)$')
  local found = {version = own, first = tonumber(first), behind = tonumber(behind)}
  if document then
    found.exists = type_of(name)
    found.list = found.exists == 'array'
  else
    local value = found.first and name .. '\0' .. whole(found.behind - 1) or name
    found.exists, found.list = redis.call('HEXISTS', fields, value) == 1, found.first
  end
  return found.exists and found or {version = '0'}
end

local todo, number = {}, ''
for i = FIRST_CHANGE, #ARGV, 4 do
  local change = {kind = ARGV[i], name = ARGV[i + 1], value = ARGV[i + 3]}
  local found = look(change.name)
  change.found = found
  if (ARGV[i + 2] ~= '' and ARGV[i + 2] ~= found.version) or (change.kind == 'add' and found.exists) then
    return {'conflict', found.version}
  end
  if change.kind == 'append' and found.exists and not found.list then
    return {'type', change.name, 'a value and no list'}
  elseif change.kind == 'increment' and found.list then
    return {'type', change.name, 'a list and no number'}
  end
  if change.kind == 'move' then
    change.value = redis.call('HGET', memory, change.name)
    if not change.value then
      return {'absent', version}
    end
  end
  if change.kind ~= 'remove' or found.exists then
    todo[#todo + 1] = change
  end
end
if #todo == 0 then
  return {'same', version}
end

if ARGV[8] == 'json' and redis.call('EXISTS', fields) == 0 then
  -- Fails where the server has no documents, or the user may not use them
  document = not redis.pcall('JSON.SET', fields, '.', '{}').err
end

local entry = {'o', operation, 't', whole(now), 'a', author}
for _, change in ipairs(todo) do
  if change.kind == 'increment' then
    local counters, counter = fields, change.name
    if document then
      -- The server adds numbers of JSON as a double
      counters, counter = meta, 'n'
      redis.call('HSET', meta, 'n', change.found.exists and redis.call('JSON.GET', fields, path(change.name)) or 0)
    end
    local sum = redis.pcall('HINCRBY', counters, counter, change.value)
    -- Numbers of Lua have 53 bits
    number = redis.call('HGET', counters, counter)
    if document then
      redis.call('HDEL', meta, 'n')
    end
    if type(sum) == 'table' then
      if string.find(sum.err, 'not an integer', 1, true) or string.find(sum.err, 'overflow', 1, true) then
        return {'type', change.name, 'no whole number, or one that would not fit in 64 bits'}
      end
      return sum
    end
    change.value = number
  end
  entry[#entry + 1] = change.kind
  entry[#entry + 1] = change.name
end

version = whole(version + 1)
redis.call('XADD', changes, version .. '-0', unpack(entry))
redis.call('HSET', operations, operation, version .. ' ' .. number)
if known >= kept + FORGOTTEN then
  local ids, last = {}, nil
  for i, old in ipairs(redis.call('XRANGE', changes, '-', '+', 'COUNT', FORGOTTEN)) do
    ids[i], last = old[2][2], old[1]
  end
  redis.call('HDEL', operations, unpack(ids))
  redis.call('XTRIM', changes, 'MINID', whole(string.match(last, '^%d+') + 1))
end

local function drop(name, first, behind)
  for from = first, behind - 1, BATCH do
    local names = {}
    for index = from, math.min(from + BATCH, behind) - 1 do
      names[#names + 1] = name .. '\0' .. whole(index)
    end
    redis.call('HDEL', fields, unpack(names))
  end
end

local function erase(name, found)
  if document then
    redis.call('JSON.DEL', fields, path(name))
  else
    drop(name, found.first or 0, found.behind or 0)
    redis.call('HDEL', fields, name)
  end
end

-- Returns what is known of the list besides its version
local function append(name, value, found)
  if document then
    if not found.exists then
      redis.call('JSON.SET', fields, path(name), '[]')
    end
    local size = redis.call('JSON.ARRAPPEND', fields, path(name), value)
    if size > longest then
      redis.call('JSON.ARRTRIM', fields, path(name), size - longest, size - 1)
    end
    return ''
  end
  local first, behind = found.first or 0, found.behind or 0
  redis.call('HSET', fields, name .. '\0' .. whole(behind), value)
  local surplus = math.max(first, behind + 1 - longest)
  drop(name, first, surplus)
  return ' ' .. whole(surplus) .. ' ' .. whole(behind + 1)
end

local states = begins and {'b', whole(now), 'v', version} or {'v', version}
for _, change in ipairs(todo) do
  local kind, name, found, state = change.kind, change.name, change.found, version
  if kind == 'append' then
    state = version .. append(name, change.value, found)
  elseif kind == 'remove' then
    erase(name, found)
    redis.call('HDEL', meta, 'f:' .. name)
  elseif document then
    redis.call('JSON.SET', fields, path(name), change.value)
  else
    drop(name, found.first or 0, found.behind or 0)
    redis.call('HSET', fields, name, change.value)
  end
  if kind == 'move' then
    redis.call('HDEL', memory, name)
  end
  if kind ~= 'remove' then
    states[#states + 1] = 'f:' .. name
    states[#states + 1] = state
  end
end
redis.call('HSET', meta, unpack(states))
if author ~= '' then
  redis.call('ZADD', directory, whole(now), author)
  redis.call('ZREMRANGEBYSCORE', directory, '-inf', whole(now - member))
end
for _, key in ipairs(KEYS) do
  redis.call('PEXPIREAT', key, whole(now + ttl))
end
return {'ok', version, number}
