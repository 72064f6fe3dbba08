-- Gives a stamp for a token that is about to be issued. Reads only.
--
-- KEYS  the subject's not-before row
-- ARGV  none
-- Reply {stamp in microseconds of this server's clock}
--
-- Invariant: the stamp is above every not-before so far, and not above any later one.

local clock = redis.call('TIME') -- the only reading of time
local stamp = clock[1] * 1000000 + clock[2]

local not_before = tonumber(redis.call('GET', KEYS[1]) or '')
if not_before and not_before >= stamp then
  stamp = not_before + 1
end
return {stamp}
