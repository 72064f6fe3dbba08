-- Decides about one token, or about one blocked subject. Reads only.
--
-- KEYS  sorted set of the rows, hash of their details, hash of the reasons
-- ARGV  exp of the token in ms, or '' if it has none or this is about a subject
--       iat of the token in ms, which its issuer truncated to the second, or ''
--       issue stamp of the token (see issue-stamp.lua), or ''
--       longest life of any token in ms
--       allowed clock skew in ms
--       how far an issuer's clock may be ahead of this server's, in ms
--       then the members to look for, as in change.lua
-- Reply {0 clear, 1 the token's row or a block, 2 issued before the subject's not-before, 3 expired, 4 the session's row,
--       5 issued before the client's not-before; and the reason of the row that refuses, '' if it has none}
--
-- Invariants
--  * A revoked token is never clear again. Its row is valid until exp + skew by this server's clock, and from that very
--    millisecond on it is refused as expired, whatever the application's clock says.
--  * The same holds for a not-before: it is valid as long as a token from before it may live, and older ones are refused.
--  * A token without stamp is refused if its iat cannot prove that it is younger: an iat in the future proves nothing. A row that cannot be read refuses.
--  * A session and a block end to the millisecond.

local rows, details, reasons = KEYS[1], KEYS[2], KEYS[3]
local expires_at = tonumber(ARGV[1])
local issued_at = tonumber(ARGV[2])
local stamp = tonumber(ARGV[3])
local max_life = tonumber(ARGV[4])
local skew = tonumber(ARGV[5])
local issuer_skew = tonumber(ARGV[6])

local FIXED_ARGUMENTS = 6
local REFUSED = { t = 1, b = 1, s = 4, n = 2, c = 5 }

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

if expires_at and now >= (expires_at + skew) * 1000 then
  return {3, ''}
end
local issued = stamp or (issued_at and issued_at * 1000)
if issued and now >= issued + (max_life + skew) * 1000 then
  return {3, ''}
end
if issued and not stamp and issued > now + (skew + issuer_skew) * 1000 then
  issued = nil
end

local function younger(member)
  local not_before = tonumber(redis.call('HGET', details, member) or '')
  return issued and not_before and (stamp or issued - issuer_skew * 1000) > not_before
end

for i = FIXED_ARGUMENTS + 1, #ARGV do
  local member = ARGV[i]
  local kind = string.sub(member, 1, 1)
  local stands_until = tonumber(redis.call('ZSCORE', rows, member) or '')
  local over = stands_until and (kind == 'b' or kind == 's') and stands_until * 1000 <= now
  if stands_until and not over and not ((kind == 'n' or kind == 'c') and younger(member)) then
    return {REFUSED[kind], redis.call('HGET', reasons, member) or ''}
  end
end
return {0, ''}
