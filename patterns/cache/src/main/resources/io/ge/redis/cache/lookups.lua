-- Answers several readers of values that begin alike, one after the other, each as lookup.lua does.
--
-- KEYS  those of lookup.lua for the first reader, then those for the second, and so on
-- ARGV  lease in milliseconds, first bytes of a value that the readers can read, 1000 times the load times before its
--       expiry at which they would refresh a value or 0, whether they have use for a value that has expired, how to wake
--       them ("channel topic"); then for each reader its token and the number by which it is woken ("token number")
-- Reply for each reader the number of elements that follow, and these: what lookup.lua replies to it, or 'failed'
--
-- Invariants
--  * What nearly all ask for, a value that stands and is not to be refreshed, is answered by the loop, at a small part of
--    the cost of a call. It writes nothing. Everything else is left to lookup.lua, whose text is in the function below.
--  * Where that fails for a reader, others are not touched by it. If it fails for all, so does the call.

local function one(KEYS, ARGV)
  --[[script]]
end

local width = 4
local lease, readable, urge, expired, waker = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local length, load_times = #readable, tonumber(urge)
local sub, byte = string.sub, string.byte

local function number(text, from)
  local a, b, c, d = byte(text, from, from + 3)
  return d and ((a * 256 + b) * 256 + c) * 256 + d or 0
end

local replies, size, done, failure = {}, 0, 0, nil
for reader = 1, #KEYS / width do
  local first = (reader - 1) * width
  local entry = KEYS[first + 1]
  local found = redis.pcall('GET', entry)
  local left = 0
  if type(found) == 'string' and sub(found, 1, length) == readable then
    local ttl = redis.call('PTTL', entry)
    left = ttl < 0 and -1 or math.max(0, ttl - number(found, 11))
    if left > 0 and left * 1000 <= number(found, 7) * load_times then
      left = 0
    end
  end
  if left ~= 0 then
    done = done + 1
    replies[size + 1], replies[size + 2], replies[size + 3], replies[size + 4], replies[size + 5] = 4, 'hit', found, left, 0
    size = size + 5
  else
    local token, id = string.match(ARGV[5 + reader], '^(.*) (%d+)$')
    local ran, reply = pcall(one, {entry, KEYS[first + 2], KEYS[first + 3], KEYS[first + 4]},
      {token, lease, waker .. ' ' .. id, readable, '0', urge, expired})
    if ran and not reply.err then
      done = done + 1
    else
      failure = failure or reply
      reply = {'failed'}
    end
    size = size + 1
    replies[size] = #reply
    for i = 1, #reply do
      replies[size + i] = reply[i]
    end
    size = size + #reply
  end
end
if done == 0 then
  if type(failure) == 'table' then
    return failure
  end
  error(failure, 0)
end
return replies
