-- Runs a script of the application on the keys of one entity.
--
-- KEYS  keys of the entity
-- ARGV  milliseconds to live or 0 for ever, then the arguments of the script, whose text is in the function below
-- Reply the elements of the list that the script returns, or what it returns as one element
--
-- Invariant: a key without a time to live gets one, also if the script fails. What that wrote before stays.

local function script(KEYS, ARGV, renew)
--[[script]]
end

local ttl = table.remove(ARGV, 1)
local ran, reply = pcall(script, KEYS, ARGV, function(key) keep(key, ttl) end)
for _, key in ipairs(KEYS) do
  if ttl ~= '0' and redis.call('PTTL', key) == -1 then
    keep(key, ttl)
  end
end
if not ran and type(reply) == 'string' then
  error(reply, 0)
end
return type(reply) == 'table' and (reply.ok and {reply.ok} or reply) or {reply}
