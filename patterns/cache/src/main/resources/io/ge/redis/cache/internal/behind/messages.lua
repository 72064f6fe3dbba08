-- Functions that scripts of the cache share, loaded in front of them.
--
-- KEYS  those of the script
-- ARGV  those of the script
-- Reply as the script
--
-- Invariant: a message that is refused changes nothing, since its receivers ask again by themselves.

local function notify(message)
  local channel, payload = string.match(message, '^(%S+) (.*)$')
  if channel then
    redis.pcall('PUBLISH', channel, payload)
  end
end

-- Stores a value, with the server time in milliseconds at which it ends in bytes 23 to 30, if it has a header.
local function store(entry, value, ttl, now)
  if ttl == '0' then
    return redis.pcall('SET', entry, value)
  end
  if #value >= 30 then
    local ends = struct.pack('>I8', math.floor(now / 1000) + tonumber(ttl))
    value = string.sub(value, 1, 22) .. ends .. string.sub(value, 31)
  end
  return redis.pcall('SET', entry, value, 'PX', ttl)
end

local function wake(waiters)
  for _, waker in ipairs(redis.call('SMEMBERS', waiters)) do
    notify(waker)
  end
  redis.call('DEL', waiters)
end

