-- Runs the scripts under test over a whole trace in one call, at the trace's times: the time of a script stands still,
-- so keys do not expire by the server's clock, but here, by the TTL that they were given.
--
-- ARGV  the trace as JSON: a list of {op, now, ...}; 'decide' with keys and args; 'refund' of an earlier step;
--       'retry' of an earlier step that was denied: a microsecond before the
--       time it was told, and then at that time, in whole seconds if 'seconds' is set, which moves all later times
-- Reply per step {reply of the script, number of writes, TTL given per key: -1 none, -2 written without}

local server = redis
local redis = {}
local writes, given
local WRITES = {SET = 1, DEL = 1, LTRIM = 1, RPUSH = 1, LREM = 1, PEXPIRE = 1, SETRANGE = 1}

function redis.call(name, key, ...)
  if WRITES[name] then
    local first, second, third = ...
    writes = writes + 1
    if name == 'PEXPIRE' then
      given[key] = first
      -- Redis 7.0 compares with a clock that goes on, and deletes what is over by then
      return server.call(name, key, 3600000)
    elseif name == 'SET' then
      given[key] = second == 'PX' and third or -2
    end
  end
  return server.call(name, key, ...)
end
redis.pcall = server.pcall

local function decide(KEYS, ARGV, virtual)
--decide--
end

local function refund(KEYS, ARGV, virtual)
--refund--
end

local trace = cjson.decode(ARGV[1])
local replies, shift, deadlines, results = {}, 0, {}, {}
server.call('FLUSHALL')

local function expire(now)
  for key, deadline in pairs(deadlines) do
    if math.floor(now / 1000) > deadline then
      server.call('DEL', key)
      deadlines[key] = nil
    end
  end
end

local function decide_at(step, now)
  expire(now)
  return decide(step.keys, step.args, now)
end

local function refund_at(step, now)
  expire(now)
  local of, reply = trace[step.of], replies[step.of]
  local arguments = {'channel'}
  for i = 1, #of.keys do
    local base, stamp = 1 + (i - 1) * 7, reply[4 + i * 4]
    local permits = of.args[base + 5]
    if stamp == 0 then
      permits = 0
    end
    for _, argument in ipairs({of.args[base + 1], of.args[base + 2], of.args[base + 3], permits,
        string.format('%.0f', stamp)}) do
      arguments[#arguments + 1] = tostring(argument)
    end
  end
  return refund(of.keys, arguments, now)
end

local function retry(step)
  local of, reply = trace[step.of], replies[step.of]
  local wait = 0
  for i = 1, #of.keys do
    if of.args[1 + i * 7] == '0' then
      wait = math.max(wait, reply[3 + i * 4])
    end
  end
  if reply[1] == 1 then
    return {}
  end
  local early = decide_at(of, reply[2] + wait - 1)
  if step.seconds then
    wait = math.ceil(wait / 1000000) * 1000000
  end
  shift = shift + wait
  return {early[1], decide_at(of, reply[2] + wait)[1]}
end

for i, step in ipairs(trace) do
  local now = tonumber(step.now) + shift
  writes, given = 0, {}
  if step.op == 'decide' then
    replies[i] = decide_at(step, now)
  elseif step.op == 'refund' then
    replies[i] = refund_at(step, now)
  else
    replies[i] = retry(step)
    now = tonumber(step.now) + shift
  end
  for key, ttl in pairs(given) do
    deadlines[key] = math.floor(now / 1000) + ttl
  end
  local ttls = {}
  for j, key in ipairs(step.keys or {}) do
    ttls[j] = given[key] or -1
  end
  results[i] = {replies[i], writes, ttls}
end
server.call('FLUSHALL')
return results
