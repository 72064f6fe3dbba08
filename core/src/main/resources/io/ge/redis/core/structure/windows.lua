-- Functions for scripts whose keys have windows of time, put in front of them.
--
-- KEYS  none of its own: a key of a window is derived from the root of a structure, and keeps its hash tag
-- ARGV  none of its own
-- Reply none
--
-- Invariant: the keys of two windows differ, and name the time in UTC at which the window begins.

-- The date of a day since 1970-01-01, in years that begin in March, from 2000 to 2400
local function civil(day)
  local rest = day - 11017
  local year = math.floor((rest - math.floor(rest / 1460) + math.floor(rest / 36524)) / 365)
  rest = rest - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * rest + 2) / 153)
  local date = rest - math.floor((153 * month + 2) / 5) + 1
  month = month < 10 and month + 3 or month - 9
  return 2000 + year + (month <= 2 and 1 or 0), month, date
end

-- The key of the window so many windows ago: none | hour | day | week | month
local function window_key(root, window, seconds, ago)
  if window == 'none' then
    return root
  end
  local hour = math.floor(seconds / 3600) - (window == 'hour' and ago or 0)
  local day = math.floor(hour / 24) - (window == 'day' and ago or 0)
  if window == 'week' then
    day = day - (day + 3) % 7 - 7 * ago
  end
  local year, month, date = civil(day)
  if window == 'month' then
    local months = year * 12 + month - 1 - ago
    return root .. string.format(':month:%04d%02d', math.floor(months / 12), months % 12 + 1)
  end
  local key = root .. ':' .. window .. string.format(':%04d%02d%02d', year, month, date)
  return window == 'hour' and key .. string.format('%02d', hour % 24) or key
end
