-- Decides about a refresh token that is presented, and replaces it if this is its first use.
--
-- KEYS  hash of the session
-- ARGV  generation of the token and its hash
--       nonce of a successor and the hash of that successor, for a first use
--       for how long from its first use on the token may be repeated, in ms
--       how many tokens of a session may be repeated at most
-- Reply {0} unknown, or
--       {1 replaced, 2 repeated, 3 used before, 4 revoked; 1 if this call ended the session, else 0; for how long the session
--       lasts in ms; issue stamp of the login, subject, issuer or '', client or ''; if replaced or repeated the nonces of
--       the successors in their order, up to the latest token}
--
-- Invariants
--  * A token has one successor: the nonce that is replied for it is always the same.
--  * A token that is given out is the latest, whichever one is repeated: it was not used before.
--  * Only the latest token is replaced, and only the latest ones before it are repeated, each until a time that was set
--    when it was replaced. Any other token of an earlier generation ends the session.
--  * One that forgive.lua lets be repeated until the session ends is so until its successor is used; from then on as any
--    other. So there is one of these at most, the one before the latest.
--  * A session that has ended never gives a token again. Its key exists until the session would have lapsed.
--  * The end of the session never moves. PEXPIREAT sets what is set already: it is there because it needs no memory.
--  * Runs also when the memory limit is reached: servers from 7.0 on know the flag allow-oom, older ones look at the limit
--    at the first write only.
-- If the k-th write is refused all the same, the call fails, and the token is as before: what makes it one of the past is
-- written with its successor in one HSET, before anything is removed.

local session = KEYS[1]
local generation, presented = tonumber(ARGV[1]), ARGV[2]
local nonce, successor = ARGV[3], ARGV[4]
local grace, most = tonumber(ARGV[5]), tonumber(ARGV[6])

local UNKNOWN, REPLACED, REPEATED, REUSED, REVOKED = 0, 1, 2, 3, 4

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)

local state = redis.call('HMGET', session, 'generation', 'latest', 'ends', 'ended', 'oldest', 'stamp', 'subject',
  'issuer', 'client')
local latest, ends = tonumber(state[1] or ''), tonumber(state[3] or '')
if not latest or now >= ends or generation > latest then
  return {UNKNOWN}
end

local function reply(what, ended_now)
  return {what, ended_now, ends - now, state[6], state[7], state[8], state[9]}
end

local function whole(number)
  return string.format('%.0f', number)
end

local function used(number)
  local text = redis.call('HGET', session, 'used' .. whole(number)) or ''
  local till, given, hash = string.match(text, '^(%d+) ([%w_-]+) (%S+)$')
  if not given or #given % 4 == 1 then
    return 0 -- others have written it: that is no Base64
  end
  return tonumber(till), given, hash
end

if state[4] then
  return reply(tonumber(state[4]) == REUSED and REUSED or REVOKED, 0)
end

if generation < latest then
  local till, given, hash = used(generation)
  if now < till and hash == presented and latest - generation <= most then
    local answer = reply(REPEATED, 0)
    answer[#answer + 1] = given
    for number = generation + 1, latest - 1 do
      local _, later = used(number)
      answer[#answer + 1] = later
    end
    return answer
  end
  redis.call('PEXPIREAT', session, state[3])
  redis.call('HSET', session, 'ended', REUSED)
  return reply(REUSED, 1)
end

if presented ~= state[2] then
  return {UNKNOWN}
end
redis.call('PEXPIREAT', session, state[3])
local repeatable = whole(now + grace)
local changes = {'generation', whole(latest + 1), 'latest', successor,
  'used' .. whole(latest), repeatable .. ' ' .. nonce .. ' ' .. presented}
local till, given, hash = used(latest - 1)
-- forgive.lua let it be repeated until this
if till == ends then
  changes[#changes + 1] = 'used' .. whole(latest - 1)
  changes[#changes + 1] = repeatable .. ' ' .. given .. ' ' .. hash
end
redis.call('HSET', session, unpack(changes))
local oldest = math.max(tonumber(state[5]), latest - most)
local first = oldest
while oldest < latest and (latest - oldest >= most or used(oldest) <= now) do
  redis.call('HDEL', session, 'used' .. whole(oldest))
  oldest = oldest + 1
end
if oldest > first then
  redis.call('HSET', session, 'oldest', whole(oldest))
end
local answer = reply(REPLACED, 0)
answer[#answer + 1] = nonce
return answer
