-- Publishes the value of a writer after its change is committed.
--
-- KEYS  entry, writers, waiters, refresh; all with the hash tag of the entry
-- ARGV  id of the writer, 'locked' if it took its ticket while the row was locked, else 'unlocked', value, TTL in
--       milliseconds or 0 for none, how long in milliseconds the writers of an entry are remembered, invalidation
--       message of the entry ("channel message") or '' if no instance keeps it in memory
-- Reply {'published'} | {'superseded'}
--
-- Invariants
--  * The value is written only if the writer is still pending, no newer one was applied and none is pending. In every
--    other case the entry is removed: leaving it would keep what an older writer published.
--  * A ticket taken without a lock says nothing about the order of commits: such a writer publishes only if no other
--    one was pending beside it, and makes all tickets given so far worthless, also if its own time is over.
--  * Overrun writers count as applied, as in intent.lua.
--  * A reader that asks for the entry after the invalidation message does not find the earlier value.
-- See intent.lua for the hash of the writers. The removal comes first: after it servers let a script write also without
-- memory. If a write is refused all the same, the entry is gone, the writer stays pending until its time is over or
-- invalidate.lua resolves it, and the call fails.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local entry, writers, waiters, refresh = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local mine, ordered, value, ttl, memory = 't:' .. ARGV[1], ARGV[2] == 'locked', ARGV[3], ARGV[4], ARGV[5]
local invalidation = ARGV[6]

local fields = redis.call('HGETALL', writers)
local last, applied, pending = 0, 0, 0
local disordered = not ordered
local held
for i = 1, #fields, 2 do
  local field, text = fields[i], fields[i + 1]
  if field == 'n' then
    last = tonumber(text)
  elseif field == 'a' then
    applied = math.max(applied, tonumber(text))
  elseif string.sub(field, 1, 2) == 't:' then
    local ticket, deadline, came = string.match(text, '^(%d+) (%d+) (%l)$')
    local holds = tonumber(deadline) > now
    if field == mine and holds then
      held = {ticket = tonumber(ticket), alone = came == 'a'}
    elseif holds then
      pending = pending + 1
    else
      applied = math.max(applied, tonumber(ticket))
      disordered = disordered or came ~= 'l'
    end
  end
end

local publish = held ~= nil and held.ticket > applied
if ordered then
  publish = publish and pending == 0 and not disordered
else
  publish = publish and held.alone and held.ticket == last
end
if disordered then
  applied = math.max(applied, last)
elseif held then
  applied = math.max(applied, held.ticket)
end

redis.call('DEL', entry, refresh)
notify(invalidation)
local noted = redis.pcall('HSET', writers, 'a', string.format('%.0f', applied), 'r', string.format('%.0f', now))
if type(noted) == 'table' and noted.err then
  wake(waiters)
  return noted
end
redis.call('PEXPIRE', writers, memory)
local reply = {publish and 'published' or 'superseded'}
if publish then
  local stored = store(entry, value, ttl, now)
  if stored.err then
    wake(waiters)
    return stored
  end
end
redis.call('HDEL', writers, mine)
wake(waiters)
return reply
