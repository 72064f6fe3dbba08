-- Gives a stamp for a token that is about to be issued. Reads only.
--
-- KEYS  hash of the details
-- ARGV  none
-- Reply {stamp in microseconds of this server's clock}
--
-- Invariant: the stamp is above every not-before so far, and not above any later one.

local clock = redis.call('TIME') -- the only reading of time
local stamp = clock[1] * 1000000 + clock[2]

local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '')
if last and last >= stamp then
  stamp = last + 1
end
return {stamp}
