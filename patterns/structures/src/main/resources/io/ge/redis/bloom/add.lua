-- Adds values to a Bloom filter.
--
-- KEYS  filter
-- ARGV  see blocks.lua
-- Reply {'ok', 1 if it is certainly new or 0, ...} | {'other', parameters that the filter has}
--
-- Of a filter there are
--   :parameters  text: bf | bits, a space, parameters; the first value to be added decides
--   filter       a filter of the server (bf) or a string of bits; with generations one for each, :number, of which the
--                current one is written and the one before is read. A generation lives until the next one ends.
--
-- Invariants
--  * A filter has the parameters of its first value, and is of one kind, whatever the server has learned since.
--  * A value is added to the current generation, also if the one before has it.
--  * What exists has a time to live, or no generations. A call may be repeated.
-- If the first write is refused, nothing has happened.

local filter, names = KEYS[1], KEYS[1] .. ':parameters'
local capacity, rate = ARGV[5], ARGV[6]

local current, before, lives = filter, nil, nil
if length > 0 then
  local clock = redis.call('TIME') -- the only reading of time
  local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
  local number = math.floor(now / length)
  current, before = string.format('%s:%.0f', filter, number), string.format('%s:%.0f', filter, number - 1)
  lives = string.format('%.0f', (number + 2) * length - now)
end

if not found then
  -- Fails for a key of another type, which no server reserves
  local reserved = redis.pcall('BF.RESERVE', current, rate, capacity)
  kind = (type(reserved) == 'table' and reserved.err) and 'bits' or 'bf'
  if kind == 'bits' then
    redis.call('STRLEN', current)
  end
  redis.call('SET', names, kind .. ' ' .. parameters)
elseif kind == 'bf' and redis.call('EXISTS', current) == 0 then
  redis.call('BF.RESERVE', current, rate, capacity)
end

local function add_bits(hash, mask)
  local from, block = read_block(current, hash)
  if has(block, mask) then
    return 0
  end
  for word = 1, words do
    block[word] = bit.bor(block[word], mask[word])
  end
  redis.call('SETRANGE', current, from, struct.pack(format, unpack(block, 1, words)))
  return 1
end

local reply = {'ok'}
for i = FIRST_VALUE, #ARGV, 2 do
  local known, new
  if kind == 'bf' then
    known = before and redis.call('BF.EXISTS', before, item(i)) == 1
    new = redis.call('BF.ADD', current, item(i))
  else
    local hash, mask = tonumber(ARGV[i]), {struct.unpack(format, ARGV[i + 1])}
    known = before and has(select(2, read_block(before, hash)), mask)
    new = add_bits(hash, mask)
  end
  reply[#reply + 1] = known and 0 or new
end
if lives then
  redis.call('PEXPIRE', current, lives)
  redis.call('PEXPIRE', names, lives)
end
return reply
