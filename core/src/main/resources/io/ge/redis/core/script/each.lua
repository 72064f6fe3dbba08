-- Runs a script once for each of several groups of keys, as if it were called for one after the other.
--
-- KEYS  those of the first group, then those of the second, and so on
-- ARGV  number of keys of a group, then the arguments for the first group, those for the second, and so on
-- Reply for each group the number of elements that follow, and these: what the script replies for it, or 'failed'
--
-- Invariant: where the script fails for a group, it leaves what it says that it leaves, and other groups are not
-- touched by that. If it fails for all of them, so does the call, with the first failure.
-- The text of the script is in the function below, whose parameters hide the keys and arguments of the call.

local function one(KEYS, ARGV)
  --[[script]]
end

local width = tonumber(ARGV[1])
local groups = #KEYS / width
local arguments = (#ARGV - 1) / groups
local replies, done, failure = {}, 0, nil
for group = 0, groups - 1 do
  local keys, values = {}, {}
  for i = 1, width do
    keys[i] = KEYS[group * width + i]
  end
  for i = 1, arguments do
    values[i] = ARGV[1 + group * arguments + i]
  end
  local ran, reply = pcall(one, keys, values)
  if ran and not reply.err then
    done = done + 1
  else
    failure = failure or reply
    reply = {'failed'}
  end
  replies[#replies + 1] = #reply
  for i = 1, #reply do
    replies[#replies + 1] = reply[i]
  end
end
if done == 0 then
  if type(failure) == 'table' then
    return failure
  end
  error(failure, 0)
end
return replies
