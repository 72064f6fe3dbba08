-- Looks at random keys of the server that is asked, to estimate how many entries each cache has.
--
-- KEYS  any key of that server; it is not touched
-- ARGV  how many keys to look at, then for each cache how the names of its entries begin
-- Reply {number of keys of the server, number of keys looked at, entries among them of the first cache, ...} | {-1} if
--       the server does not let its keys be counted or picked
--
-- Invariant: only reads, and a bounded number of keys. A key may be looked at twice.

local function asked(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then
    return nil
  end
  return reply
end

local size = asked('DBSIZE')
if not size then
  return {-1}
end
local reply = {size, 0}
for i = 2, #ARGV do
  reply[i + 1] = 0
end
for n = 1, (size > 0) and tonumber(ARGV[1]) or 0 do
  local key = asked('RANDOMKEY')
  if key == nil then
    return {-1}
  end
  if not key then
    return reply
  end
  reply[2] = n
  if string.sub(key, -3) == ':e1' then
    for i = 2, #ARGV do
      if string.sub(key, 1, #ARGV[i]) == ARGV[i] then
        reply[i + 1] = reply[i + 1] + 1
      end
    end
  end
end
return reply
