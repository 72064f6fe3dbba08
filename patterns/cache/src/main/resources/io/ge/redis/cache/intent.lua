-- Announces a writer before its change is committed: from here on no reader reads or fills the entry until the writer
-- has published, was aborted, or its time is over.
--
-- KEYS  entry, writers, waiters, refresh; all with the hash tag of the entry
-- ARGV  id of the writer, how long in milliseconds the announcement holds, how long in milliseconds the writers of an
--       entry are remembered, 'locked' if the row is locked, 'unlocked' if not, or 'prolong' for an unlocked one whose
--       announcement is only to be prolonged, invalidation message of the entry ("channel message") or '' if no
--       instance keeps it in memory
-- Reply {1}
--
-- The writers of an entry are one hash:
--   'n'    the last ticket given; a server time in microseconds, so tickets rise also after the hash was lost
--   'a'    the highest ticket that was applied: what comes with a lower one is older
--   'r'    server time when a writer was last resolved
--   'b'    server time when a late reader last removed the entry, see fill.lua
--   't:id' the ticket of a pending writer, its deadline, and 'l' if it came with the row locked, else 'a' if no other
--          one was pending when it came and 'b' if one was
--
-- Invariants
--  * Called while the row is locked, tickets rise in the order of the commits.
--  * The entry is removed, and with it the lease of any reader and the permit to refresh it, before the ticket is
--    given.
--  * The ticket of a writer that overran its time raises 'a', since its change may be committed by now; if it came
--    without a lock, all tickets given since may be older than that change, so 'a' rises to the last one.
--  * The hash outlives every announcement in it.
--  * A reader that asks for the entry after the invalidation message does not find it.
-- The removal comes first: after it servers let a script write also without memory. If the announcement is refused all
-- the same, the entry is gone, the overrun writers stay as they are, and the call fails.

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]
local entry, writers, waiters, refresh = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local mine, hold, memory, mode = 't:' .. ARGV[1], tonumber(ARGV[2]) * 1000, ARGV[3], ARGV[4]
local invalidation = ARGV[5]

redis.call('DEL', entry, refresh)
wake(waiters)
notify(invalidation)

local fields = redis.call('HGETALL', writers)
local last, applied, resolved = 0, 0, 0
local kind = 'a'
local disordered = false
local overrun = {}
local held
for i = 1, #fields, 2 do
  local field, text = fields[i], fields[i + 1]
  if field == 'n' then
    last = tonumber(text)
  elseif field == 'a' then
    applied = math.max(applied, tonumber(text))
  elseif field == 'r' then
    resolved = math.max(resolved, tonumber(text))
  elseif string.sub(field, 1, 2) == 't:' then
    local ticket, deadline, came = string.match(text, '^(%d+) (%d+) (%l)$')
    if field == mine then
      held = tonumber(deadline) > now and {ticket, came} or nil
    elseif tonumber(deadline) > now then
      kind = 'b'
    else
      overrun[#overrun + 1] = field
      applied = math.max(applied, tonumber(ticket))
      disordered = disordered or came ~= 'l'
      resolved = now
    end
  end
end

if disordered then
  applied = math.max(applied, last)
end

local ticket = string.format('%.0f', math.max(last + 1, now))
if mode == 'locked' then
  kind = 'l'
elseif mode == 'prolong' and held then
  ticket, kind = held[1], held[2]
elseif mode == 'prolong' then
  kind = 'b'
end
redis.call('HSET', writers,
  'n', string.format('%.0f', math.max(last, tonumber(ticket))),
  'a', string.format('%.0f', applied),
  'r', string.format('%.0f', resolved),
  mine, ticket .. ' ' .. string.format('%.0f', now + hold) .. ' ' .. kind)
redis.call('PEXPIRE', writers, memory)
for _, field in ipairs(overrun) do
  redis.call('HDEL', writers, field)
end
return {1}
