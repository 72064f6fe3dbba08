-- Looks at the shares of a lock.
--
-- KEYS  lock, holders, tokens, queue; all with the entity's hash tag
-- ARGV  how many holders are listed at most
-- Reply {1 if the lock is shared, else 0, holders, those that wait, then for each holder, those that end first before
--       others: 1 if only its place is kept, else 0, instance, token, ms until it ends, age in microseconds}
--
-- Invariant: writes nothing.
-- The age is the time since the token was made, which is never below the time (state: see share.lua).

local lock, holders, tokens, queue = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local waiting = redis.call('ZCARD', queue)
local held = redis.call('GET', lock)
if not held or string.sub(held, 1, 2) ~= '* ' then
  return {0, 0, waiting}
end

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

local from = string.format('(%.0f', now)
local reply = {1, redis.call('ZCOUNT', holders, from, '+inf'), waiting}
local living = redis.call('ZRANGEBYSCORE', holders, from, '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[1])
for i = 1, #living, 2 do
  local kept, instance = string.match(living[i], '^(=? ?)(%S+) ')
  local token = string.match(redis.call('HGET', tokens, living[i]) or '0', '%d+$')
  local age = token ~= '0' and math.max(0, now - token) or 0
  reply[#reply + 1] = kept ~= '' and 1 or 0
  reply[#reply + 1] = instance
  reply[#reply + 1] = token
  reply[#reply + 1] = math.ceil((living[i + 1] - now) / 1000)
  reply[#reply + 1] = string.format('%.0f', age)
end
return reply
