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

local size, format = 4 * words, '<' .. string.rep('i4', words)

-- Where the block of a value begins, and its words
local function read_block(generation, hash)
  local from = hash % blocks * size
  local block = redis.call('GETRANGE', generation, from, from + size - 1)
  return from, {struct.unpack(format, block .. string.rep('\0', size - #block))}
end

local function has(block, mask)
  for word = 1, words do
    if bit.band(block[word], mask[word]) == 0 then
      return false
    end
  end
  return true
end

-- What the server has under the name of a value
local function item(i)
  return ARGV[i] .. ARGV[i + 1]
end

local found = redis.call('GET', KEYS[1] .. ':parameters')
local kind = found and string.match(found, '^%a+')
if found and found ~= (kind or '') .. ' ' .. parameters then
  return {'other', string.match(found, '^%a+ (.*)$') or found}
end
