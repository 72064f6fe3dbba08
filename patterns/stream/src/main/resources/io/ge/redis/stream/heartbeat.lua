-- Extends the leases of deliveries that a consumer works on.
--
-- KEYS  the streams
-- ARGV  group, consumer; then for each delivery: index of its stream, id, number of deliveries
-- Reply the positions of deliveries, from 0, that belong to somebody else by now or are gone
--
-- Invariants
--  * Takes nothing from another holder, and changes no number of deliveries.
--  * An entry that was trimmed stays pending, so that it is counted by who finds it.

local group, me = ARGV[1], ARGV[2]
local lost = {}
for argument = 3, #ARGV, 3 do
  local stream, id, deliveries = KEYS[tonumber(ARGV[argument])], ARGV[argument + 1], tonumber(ARGV[argument + 2])
  local pending = redis.pcall('XPENDING', stream, group, id, id, 1, me)[1]
  if not pending or pending[4] ~= deliveries then
    lost[#lost + 1] = argument / 3 - 1
  elseif redis.call('XRANGE', stream, id, id)[1] then
    redis.call('XCLAIM', stream, group, me, 0, id, 'JUSTID')
  end
end
return lost
