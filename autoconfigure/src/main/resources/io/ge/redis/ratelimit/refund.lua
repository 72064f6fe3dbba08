-- Gives back the permits that one admission took, because another entity's limit denied the same call.
--
-- KEYS  as for decide.lua
-- ARGV  server time of the admission in microseconds, then per limit: 'w' or 'b', interval in microseconds ('b' only)
-- Reply {number of permits given back}
--
-- Invariants
--  * 'w': only an element of exactly that admission time is removed, the newest one; if it is gone nothing happens.
--  * 'b': the arrival time moves back by one interval, never before the admission, so no permit is invented.
-- Only removes or lowers, so a repetition can give back at most what other calls of the same microsecond took; it is
-- therefore sent once and not repeated.

local admitted = ARGV[1]
local given = 0
for i, key in ipairs(KEYS) do
  if ARGV[i * 2] == 'w' then
    given = given + redis.call('LREM', key, -1, admitted)
  else
    local arrival = tonumber(redis.call('GET', key) or 0)
    local earlier = arrival - tonumber(ARGV[i * 2 + 1])
    if earlier > tonumber(admitted) then
      redis.call('SET', key, string.format('%.0f', earlier), 'KEEPTTL')
      given = given + 1
    elseif arrival > 0 then
      given = given + redis.call('DEL', key)
    end
  end
end
return {given}
