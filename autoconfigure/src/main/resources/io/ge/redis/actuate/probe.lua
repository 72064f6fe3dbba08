-- Tries what guards need of a server, and asks what may endanger them.
--
-- KEYS  a key in the guards' own space
-- ARGV  none
-- Reply {INFO memory, or false if refused; why writing failed, or false if it succeeded}
--
-- Invariant: nothing is left behind but a key that expires within a second.

local memory = redis.pcall('INFO', 'memory')
if type(memory) == 'table' then
  memory = false
end
local written = redis.pcall('SET', KEYS[1], '1', 'PX', 1000)
return {memory, written.err or false}
