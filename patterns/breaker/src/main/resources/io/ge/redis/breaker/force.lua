-- Sets the state of a circuit on behalf of an operator, and notifies all instances.
--
-- KEYS  state
-- ARGV  channel of all instances, message for it, life of the state in ms, FORCED_OPEN|DISABLED|CLOSED|AUTO,
--       how long it is forced in ms, author, reason
-- Reply {version}
--
-- Invariants
--  * A forced state has an end. CLOSED and AUTO end it at once; CLOSED also closes the circuit.
--  * The version rises, so every instance takes the state over. The key always has a TTL.
-- If a write is refused, nothing has changed. Repeating it does no harm.

local state, to = KEYS[1], ARGV[4]
local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local version = string.format('%.0f', math.max(tonumber(redis.call('HGET', state, 'v') or 0) + 1, now))
if to == 'CLOSED' then
  redis.call('DEL', state)
end
local forced = (to == 'FORCED_OPEN' and 'F') or (to == 'DISABLED' and 'D') or ''
redis.call('HSET', state, 'v', version, 'f', forced, 'fu', string.format('%.0f', now + ARGV[5]), 'fa', ARGV[6],
  'fr', ARGV[7])
redis.call('PEXPIRE', state, string.format('%.0f', math.max(ARGV[3], ARGV[5])))
redis.pcall('PUBLISH', ARGV[1], ARGV[2] .. ' ' .. version)
return { tonumber(version) }
