-- Functions that scripts of the cache share, loaded in front of them.
--
-- KEYS  those of the script
-- ARGV  those of the script
-- Reply that of the script
--
-- Invariant: a message that is refused changes nothing, since whoever waits for it asks again by itself.

local function tell(message)
  local channel, payload = string.match(message, '^(%S+) (.*)$')
  if channel then
    redis.pcall('PUBLISH', channel, payload)
  end
end

local function wake(waiters)
  for _, waker in ipairs(redis.call('SMEMBERS', waiters)) do
    tell(waker)
  end
  redis.call('DEL', waiters)
end

