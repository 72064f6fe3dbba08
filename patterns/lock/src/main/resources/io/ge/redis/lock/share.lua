-- Gives shares of a lock to several holders at once, as many as each of them tolerates, releases them, and serves those
-- that wait.
--
-- KEYS  lock, last token, holders, tokens, queue, requests; all with the entity's hash tag
-- ARGV  instance (its channel), handle, what is wanted:
--         try    a share, or to know that the handle has one
--         wait   the same, else a place in the queue
--         leave  to give up the share of the handle, or its place in the queue
--         force  that all lose their shares, and are notified
--       most holders that the share tolerates, itself included,
--       lease of the share in ms; to leave: for how long its place stays taken in ms, or 0,
--       how long a place in the queue counts in ms, highest token the instance has seen,
--       how long a grant lasts in ms, life of the last token in ms
-- Reply try and wait: {1, token} if the handle has a share, else {0, ms until the next share or the lease ends, or -1};
--       the error FOREIGN if a token is not one of ours (see acquire.lua)
--       leave and force: {number of shares that were given up}
--
-- State
--  lock       string '* smallest' while there are shares: the smallest number of holders that one of them tolerates.
--             Anything else is the lock of one alone (see acquire.lua, whose scripts find a taken lock in this one), and
--             what else is known of shares is void then. It outlives the share that ends last for as long as a grant
--             lasts, so that the next call learns whose share has ended by its lease.
--  last token as in acquire.lua; each share has one token
--  holders    sorted set of 'instance handle' by the microsecond at which the share ends. '= instance handle' has no
--             holder and keeps a place taken until then.
--  tokens     hash of holder to 'limit token'
--  queue      sorted set of 'instance handle' of those that wait, by arrival, which only rises; requests: hash of each of them to
--             'deadline limit seen', the microsecond until which it counts as waiting, how many holders it tolerates, and
--             the highest token it has seen. Both live as long as the youngest entry.
--
-- Invariants
--  * There are never more holders than each of them tolerates, and none while one alone has the lock.
--  * Asking again with the same handle gives the same token and no second share. A grant whose message was
--    lost is learnt by asking again.
--  * Shares are given in the order of arrival: none that fits goes before a living one that has waited for longer, also one
--    that does not wait. So one that tolerates no others waits for those that came before it, and not for those after.
--    After each call the first of the queue does not fit; all that fit have been granted a share for a moment and notified.
--  * Those whose deadline has passed are dropped, not served, and leases that have passed are not extended. If a share
--    ends by its lease, those of its instance are dropped that have not asked for half as long as a grant lasts, which is
--    longer than they would let pass: so an instance that died takes no more than one grant in vain.
--  * Tokens rise strictly, as in acquire.lua: each share granted here takes longer than the microsecond by which its token
--    is above the one before. While the last token is foreign no share is granted; those that wait learn it by asking.
-- Works without memory except to get a share or a place in the queue: what gives up, or finds the share that it has, begins
-- with a write that needs none, or is allowed to run. If a write is refused after all, the lock says of more holders than
-- there are, never of less.

local lock, counter, holders, tokens, queue, requests = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local instance, handle, request = ARGV[1], ARGV[2], ARGV[3]
local limit, lease, place, seen = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local grant, memory = tonumber(ARGV[8]), ARGV[9]
local unlimited = 2147483647

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local latest = now + 86400000000 -- a day

local past = tonumber(redis.pcall('GET', counter) or now + 511)
local foreign = not (past and past <= latest) -- also if it is not a number

local function refusal(key, value)
  return redis.error_reply('FOREIGN ' .. key .. ' holds ' .. string.sub(value, 1, 200)
    .. ', with a token that is none or far ahead of the time of the server: delete this key')
end

if foreign and (request == 'try' or request == 'wait') then
  return refusal(counter, redis.call('GET', counter))
end

local mine = instance .. ' ' .. handle
local held = redis.call('GET', lock)
local smallest = held and tonumber(string.match(held, '^%* (%d+)$'))
local alone = held and not smallest
local count = 0
local changed = false

local function text(number)
  return string.format('%.0f', number)
end

local function limitOf(holder)
  local given = redis.call('HGET', tokens, holder)
  return given and tonumber(string.match(given, '^%d+')) or 1
end

local function measure()
  local least = unlimited
  for i = 0, count - 1 do
    least = math.min(least, limitOf(redis.call('ZRANGE', holders, i, i)[1]))
    if least <= smallest then
      break -- others have it, too
    end
  end
  smallest = least
end

local function over(holder)
  local had = limitOf(holder)
  redis.call('ZREM', holders, holder)
  redis.call('HDEL', tokens, holder)
  count = count - 1
  changed = true
  if count == 0 or (had <= smallest and had < unlimited) then
    measure()
  end
end

local function dequeue(waiting)
  redis.call('ZREM', queue, waiting)
  redis.call('HDEL', requests, waiting)
end

local silent = {}
if smallest then
  count = redis.call('ZCARD', holders)
  changed = count == 0
  for _, holder in ipairs(redis.call('ZRANGEBYSCORE', holders, '-inf', text(now))) do
    over(holder)
    silent[string.match(holder, '^%S+')] = true
  end
end
smallest = smallest and count > 0 and smallest or unlimited

if next(silent) then
  for _, waiting in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
    local deadline = string.match(redis.call('HGET', requests, waiting) or '0', '^%d+')
    if waiting ~= mine and silent[string.match(waiting, '^%S+')] and deadline - place * 1000 <= now - grant * 500 then
      dequeue(waiting)
    end
  end
end

local function fits(wanted)
  return not foreign and not alone and count < math.min(wanted, smallest)
end

local function give(holder, wanted, highest, millis)
  past = math.max(past + 1, (tonumber(seen) <= latest and seen or 0) + 1, highest + 1, now)
  local token = text(past)
  redis.call('SET', counter, token, 'PX', memory)
  if count == 0 then
    redis.call('DEL', holders, tokens) -- void
  end
  redis.call('ZADD', holders, text(now + millis * 1000), holder)
  redis.call('HSET', tokens, holder, text(wanted) .. ' ' .. token)
  count = count + 1
  smallest = math.min(smallest, wanted)
  changed = true
  return token
end

-- Serves those that wait, up to the one that asks; returns whom it cannot serve.
local function serve(asking)
  while true do
    local head = redis.call('ZRANGE', queue, 0, 0)[1]
    if not head or head == asking then
      return head
    end
    local deadline, wanted, highest = string.match(redis.call('HGET', requests, head) or '', '^(%d+) (%d+) (%d+)$')
    local alive = deadline and tonumber(deadline) > now and tonumber(highest) <= latest
    if alive and not fits(tonumber(wanted)) then
      return head
    end
    dequeue(head)
    if alive then
      give(head, tonumber(wanted), highest, grant)
      local channel, its = string.match(head, '^(%S+) (%S+)$')
      redis.pcall('PUBLISH', channel, 'lock.share ' .. its .. ' ' .. lock)
    end
  end
end

local function seal()
  if not changed then
    return
  end
  if count == 0 then
    redis.call('DEL', lock, holders, tokens)
    return
  end
  local last = redis.call('ZREVRANGE', holders, 0, 0, 'WITHSCORES')[2]
  local millis = text(math.ceil((last - now) / 1000) + grant)
  redis.call('SET', lock, '* ' .. text(smallest), 'PX', millis)
  redis.call('PEXPIRE', holders, millis)
  redis.call('PEXPIRE', tokens, millis)
end

if request == 'try' or request == 'wait' then
  local given = count > 0 and redis.call('ZSCORE', holders, mine) and redis.call('HGET', tokens, mine)
  if given then
    local token = string.match(given, '%d+$')
    if not token or tonumber(token) > latest then
      seal()
      return refusal(tokens, given)
    end
    redis.call('PEXPIRE', holders, lease) -- first, since it needs no memory
    redis.call('ZADD', holders, text(now + lease * 1000), mine)
    changed = true
    serve()
    seal()
    return {1, token}
  end
  local head = serve(mine)
  if (not head or head == mine) and fits(limit) then
    if head then
      dequeue(mine)
    end
    local token = give(mine, limit, 0, lease)
    if head then
      serve()
    end
    seal()
    return {1, token}
  end
  if request == 'wait' then
    local youngest = redis.call('ZREVRANGE', queue, 0, 0, 'WITHSCORES')[2]
    redis.call('ZADD', queue, 'NX', text(math.max(now, (youngest or 0) + 1)), mine)
    redis.call('HSET', requests, mine, text(now + place * 1000) .. ' ' .. text(limit) .. ' ' .. seen)
    redis.call('PEXPIRE', queue, place)
    redis.call('PEXPIRE', requests, place)
  end
  seal()
  if alone then
    return {0, redis.call('PTTL', lock)}
  end
  local first = redis.call('ZRANGE', holders, 0, 0, 'WITHSCORES')[2]
  return {0, first and math.ceil((first - now) / 1000) or -1}
end

local ended = 0
if request == 'force' then
  for _, holder in ipairs(count > 0 and redis.call('ZRANGE', holders, 0, -1) or {}) do
    over(holder)
    ended = ended + 1
    local channel, its = string.match(holder, '^(%S+) (%S+)$')
    if channel then
      redis.pcall('PUBLISH', channel, 'lock.lost ' .. its .. ' ' .. lock)
    end
  end
elseif count > 0 and redis.call('ZSCORE', holders, mine) then
  local had = limitOf(mine)
  over(mine)
  ended = 1
  if lease > 0 then
    redis.call('ZADD', holders, text(now + lease * 1000), '= ' .. mine)
    redis.call('HSET', tokens, '= ' .. mine, text(had) .. ' 0')
    count = count + 1
    smallest = math.min(smallest, had)
  end
else
  dequeue(mine)
end
serve()
seal()
return {ended}
