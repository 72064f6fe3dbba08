-- The beginning of the scripts of a Bloom filter.
--
-- KEYS  of those scripts: filter
-- ARGV  of those scripts: parameters, milliseconds of a generation or 0 for one that is kept for ever, blocks, words of a
--       block, capacity and error rate of a generation, then for each value: a hash of 48 bits and its mask, which is as
--       long as a block and has one bit in each word
-- Reply none
--
-- A filter of bits consists of blocks of words of 32 bits. A value sets one bit in each word of one block, so it costs two
-- commands, however many bits it sets.
--
-- Invariant: writes nothing.

local parameters, length, blocks, words = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local FIRST_VALUE = 7

-- The current generation, the one before if there are several, and how long the current one lives
local current, before, lives = KEYS[1], nil, '0'
if length > 0 then
  local clock = redis.call('TIME') -- the only reading of time
  local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
  local number = math.floor(now / length)
  current, before = string.format('%s:%.0f', KEYS[1], number), string.format('%s:%.0f', KEYS[1], number - 1)
  lives = string.format('%.0f', (number + 2) * length - now)
end

local size, format = 4 * words, '<' .. string.rep('i4', words)

-- Whether a generation has a value, and if not, where its block begins, the words there, and its mask
local function find(generation, i)
  local from = ARGV[i] % blocks * size
  local bytes = redis.call('GETRANGE', generation, from, from + size - 1)
  if #bytes < size then
    bytes = bytes .. string.rep('\0', size - #bytes)
  end
  local block, mask = {struct.unpack(format, bytes)}, {struct.unpack(format, ARGV[i + 1])}
  for word = 1, words do
    if bit.band(block[word], mask[word]) == 0 then
      return false, from, block, mask
    end
  end
  return true
end

local found = redis.call('GET', KEYS[1] .. ':parameters')
local bits = found == 'bits ' .. parameters
if found and not bits and found ~= 'bf ' .. parameters then
  return {'other ' .. (string.match(found, '^%a+ (.*)$') or found)}
end
