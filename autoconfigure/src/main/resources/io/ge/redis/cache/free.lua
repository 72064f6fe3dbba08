-- Gives up the lease of a reader that could not load, so that another one may.
--
-- KEYS  entry, writers, waiters; all with the hash tag of the entry
-- ARGV  token of the reader
-- Reply {1 if the lease was still held, else 0}
--
-- Invariant: only the lease of that token goes; a value, and the lease of another reader, stay. May be repeated.
-- Only removes and publishes, so it succeeds without memory.

local entry, waiters, token = KEYS[1], KEYS[3], ARGV[1]

local function wake()
  for _, waker in ipairs(redis.call('SMEMBERS', waiters)) do
    local channel, message = string.match(waker, '^(%S+) (.*)$')
    redis.pcall('PUBLISH', channel, message)
  end
  redis.call('DEL', waiters)
end

if redis.call('GET', entry) ~= 'L' .. token then
  return {0}
end
redis.call('DEL', entry)
wake()
return {1}
