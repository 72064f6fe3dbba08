-- Adds values to a Bloom filter.
--
-- KEYS  filter
-- ARGV  see blocks.lua
-- Reply {a digit for each value: 1 if it is certainly new, else 0} | {'other ' and the parameters that the filter has}
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

local names, capacity, rate = KEYS[1] .. ':parameters', ARGV[5], ARGV[6]

if not found then
  -- Fails for a key of another type, which no server reserves
  local reserved = redis.pcall('BF.RESERVE', current, rate, capacity)
  bits = type(reserved) == 'table' and reserved.err ~= nil
  if bits then
    redis.call('STRLEN', current)
  end
  redis.call('SET', names, (bits and 'bits ' or 'bf ') .. parameters)
elseif not bits and redis.call('EXISTS', current) == 0 then
  redis.call('BF.RESERVE', current, rate, capacity)
end

local reply = ''
for i = FIRST_VALUE, #ARGV, 2 do
  local known, new
  if bits then
    local there, from, block, mask = find(current, i)
    known = there or (before and find(before, i))
    if not there then
      for word = 1, words do
        block[word] = bit.bor(block[word], mask[word])
      end
      redis.call('SETRANGE', current, from, struct.pack(format, unpack(block, 1, words)))
    end
    new = 1
  else
    local item = ARGV[i] .. ARGV[i + 1]
    known = before and redis.call('BF.EXISTS', before, item) == 1
    new = redis.call('BF.ADD', current, item)
  end
  reply = reply .. (known and 0 or new)
end
keep(current, lives)
keep(names, lives)
return {reply}
