-- Gives a page of the rows: those that end first before others, and those that end together in the order of their
-- members. Reads only.
--
-- KEYS  sorted set of the rows, hash of their details, hash of the reasons
-- ARGV  end in ms and member of the last row of the page before, 0 and '' for the first page
--       how many
-- Reply {member, end, not-before, 0 where it has none or nil where it is lost, reason, '' where it has none, member, ...}
--
-- Invariants
--  * A row that exists during the whole reading is met, since its end never moves forward, and so its
--    place never moves from behind a page to before it. It does not matter whether the last row of the page before still
--    exists.
--  * No page is longer than asked for, however many rows end together.

local rows, details, reasons = KEYS[1], KEYS[2], KEYS[3]
local last_end, last_member, most = ARGV[1], ARGV[2], tonumber(ARGV[3])

-- Byte by byte as the sorted set does it, since the operators of Lua go by the locale
local function stands_behind(member, other)
  for i = 1, math.min(#member, #other) do
    local one, two = string.byte(member, i), string.byte(other, i)
    if one ~= two then
      return one > two
    end
  end
  return #member > #other
end

local from = redis.call('ZCOUNT', rows, '-inf', '(' .. last_end)
local to = redis.call('ZCOUNT', rows, '-inf', last_end)
while from < to do
  local middle = math.floor((from + to) / 2)
  if stands_behind(redis.call('ZRANGE', rows, middle, middle)[1], last_member) then
    to = middle
  else
    from = middle + 1
  end
end

local page = redis.call('ZRANGE', rows, from, from + most - 1, 'WITHSCORES')
local given = redis.call('EXISTS', reasons) == 1
local reply = {}
for i = 1, #page, 2 do
  local kind = string.sub(page[i], 1, 1)
  reply[#reply + 1] = page[i]
  reply[#reply + 1] = page[i + 1]
  if kind == 'n' or kind == 'c' then
    reply[#reply + 1] = redis.call('HGET', details, page[i])
  else
    reply[#reply + 1] = '0'
  end
  reply[#reply + 1] = given and redis.call('HGET', reasons, page[i]) or ''
end
return reply
