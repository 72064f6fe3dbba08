-- Runs one command, for drivers that cannot send it by its name.
--
-- KEYS  the key
-- ARGV  the arguments of the command behind the key
-- Reply {elements of the reply}
--
-- Invariant: the one of the command.

local reply = redis.call('--[[command]]', KEYS[1], unpack(ARGV))
return type(reply) == 'table' and reply or {reply}
