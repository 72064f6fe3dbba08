-- Reads a workspace, whole or some fields of it.
--
-- KEYS  of the workspace: fields, meta, and those that are not read
-- ARGV  the names of fields, none for all
-- Reply {version, number of elements that follow about versions, then name with f: in front and state of each field, then
--       name and JSON of each, an entry of a list as name, a zero byte, index; or nothing and a document with all of them};
--       change.lua says what is in meta
--
-- Invariant: writes nothing. All that is replied is of one version.

local meta = KEYS[2]
local BATCH = 500
local reply = {redis.call('HGET', meta, 'v') or '0', 0}

local function add(elements)
  for _, element in ipairs(elements) do
    reply[#reply + 1] = element
  end
end

if #ARGV == 0 then
  add(redis.call('HGETALL', meta))
  reply[2] = #reply - 2
  add(document and {'', redis.call('JSON.GET', fields, 'NOESCAPE', '.')} or redis.call('HGETALL', fields))
  return reply
end

local names, found = {}, {}
for _, name in ipairs(ARGV) do
  local state = redis.call('HGET', meta, 'f:' .. name)
  local first, behind = string.match(not document and state or '', '^%d+ (%d+) (%d+)$')
  if state then
    add({'f:' .. name, state})
  end
  if document and type_of(name) then
    found[#found + 1] = name
    found[#found + 1] = redis.call('JSON.GET', fields, 'NOESCAPE', path(name))
  elseif not document and not first then
    names[#names + 1] = name
  end
  for index = tonumber(first or 0), (behind or 0) - 1 do
    names[#names + 1] = name .. '\0' .. string.format('%.0f', index)
  end
end
reply[2] = #reply - 2
add(found)
for from = 1, #names, BATCH do
  local batch = {unpack(names, from, math.min(from + BATCH - 1, #names))}
  for i, value in ipairs(redis.call('HMGET', fields, unpack(batch))) do
    if value then
      add({batch[i], value})
    end
  end
end
return reply
