-- Returns whether values are in a Bloom filter.
--
-- KEYS  filter
-- ARGV  see blocks.lua
-- Reply {a digit for each value: 1 if it might be there, else 0} | {'other ' and the parameters that the filter has}
--
-- Invariant, see add.lua for the state: writes nothing.

local reply = ''
for i = FIRST_VALUE, #ARGV, 2 do
  local there
  if found and not bits then
    local item = ARGV[i] .. ARGV[i + 1]
    there = redis.call('BF.EXISTS', current, item) == 1
      or (before and redis.call('BF.EXISTS', before, item) == 1)
  else
    there = find(current, i) or (before and find(before, i))
  end
  reply = reply .. (there and 1 or 0)
end
return {reply}
