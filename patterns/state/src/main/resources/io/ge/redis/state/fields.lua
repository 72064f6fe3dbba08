-- How scripts find the fields of a workspace: in a hash, or in a JSON document.
--
-- KEYS  of those scripts: fields, then others
-- ARGV  of those scripts: see there
-- Reply none
--
-- Invariant: writes nothing. A workspace is of one kind until it expires, whatever the settings say meanwhile.

local fields = KEYS[1]
local document = redis.call('TYPE', fields).ok == 'ReJSON-RL'

local function path(name)
  return '["' .. name .. '"]'
end

-- The type of a field of the document, or nothing
local function type_of(name)
  local found = redis.call('JSON.TYPE', fields, name and path(name) or '.')
  return type(found) == 'table' and found.ok or found
end

if document and type_of() ~= 'object' then
  return redis.error_reply('WRONGTYPE The JSON document is no object')
end
