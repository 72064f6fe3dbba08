-- Returns whether values are in a Bloom filter.
--
-- KEYS  filter
-- ARGV  see blocks.lua
-- Reply {'ok', 1 if it might be there or 0 if it certainly is not, ...} | {'other', parameters that the filter has}
--
-- Invariant, see add.lua for the state: writes nothing.

local filter = KEYS[1]

local generations = {filter}
if length > 0 then
  local clock = redis.call('TIME') -- the only reading of time
  local number = math.floor((clock[1] * 1000 + math.floor(clock[2] / 1000)) / length)
  generations = {string.format('%s:%.0f', filter, number), string.format('%s:%.0f', filter, number - 1)}
end

local reply = {'ok'}
for i = FIRST_VALUE, #ARGV, 2 do
  local there = false
  for _, generation in ipairs(generations) do
    if kind == 'bf' then
      there = there or redis.call('BF.EXISTS', generation, item(i)) == 1
    elseif not there then
      local _, block = read_block(generation, tonumber(ARGV[i]))
      there = has(block, {struct.unpack(format, ARGV[i + 1])})
    end
  end
  reply[#reply + 1] = there and 1 or 0
end
return reply
