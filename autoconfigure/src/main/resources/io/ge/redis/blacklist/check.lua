-- Decides about one token, or about one blocked subject. Reads only.
--
-- KEYS  the rows to look at, in one slot on a Cluster
-- ARGV  exp of the token in ms, or '' if it has none or this is about a subject
--       iat of the token in ms, which its issuer truncated to the second, or ''
--       issue stamp of the token (see issue-stamp.lua), or ''
--       longest life of any token in ms
--       allowed clock skew in ms
--       how far an issuer's clock may be ahead of this server's, in ms
--       then for each key what it is: 'row', which refuses by standing there, or 'not-before'
-- Reply {0 clear, 1 revoked or blocked, 2 issued before the subject's not-before, 3 expired}
--
-- Invariants
--  * A revoked token is never clear again. Its row stands until exp + skew by this server's clock, and from that very
--    millisecond on it is refused as expired, whatever the application's clock says.
--  * The same holds for a not-before: it stands as long as a token from before it may live, and older ones are refused.
--  * A token without stamp is refused if its iat cannot prove that it is younger. A row that cannot be read refuses.

local expires_at = tonumber(ARGV[1])
local issued_at = tonumber(ARGV[2])
local stamp = tonumber(ARGV[3])
local max_life = tonumber(ARGV[4])
local skew = tonumber(ARGV[5])
local issuer_skew = tonumber(ARGV[6])

local FIXED_ARGUMENTS = 6

local clock = redis.call('TIME') -- the only reading of time
local now = clock[1] * 1000000 + clock[2]

if expires_at and now >= (expires_at + skew) * 1000 then
  return {3}
end
local issued = stamp or (issued_at and issued_at * 1000)
if issued and now >= issued + (max_life + skew) * 1000 then
  return {3}
end

for i, key in ipairs(KEYS) do
  local row = redis.call('GET', key)
  if row and ARGV[FIXED_ARGUMENTS + i] == 'row' then
    return {1}
  end
  if row then
    local not_before = tonumber(row)
    if not issued or not not_before then
      return {2}
    end
    local proven = stamp or issued - issuer_skew * 1000
    if proven <= not_before then
      return {2}
    end
  end
end
return {0}
