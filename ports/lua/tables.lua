-- SPDX-License-Identifier: MIT
-- Sorting (also with orders that contradict themselves), large tables, collection, weak tables.
local seed = 12345
local function random()
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed
end
local list = {}
for i = 1, 10000 do list[i] = random() end
table.sort(list)
local sorted = true
for i = 2, #list do sorted = sorted and list[i - 1] <= list[i] end
print("sorted", sorted, list[1], list[5000], list[10000])
table.sort(list, function(l, r) return l > r end)
print("descending", list[1], list[10000])
local words = {"pear", "fig", "Apple", "plum", "date", "äpfel", "10", "9"}
table.sort(words)
print(table.concat(words, " "))
local ok, said = pcall(table.sort, {3, 1, "x"})
print(ok, (said:gsub("number with string", "string with number")))
print(pcall(table.sort, {5, 3, 1, 4, 2, 6, 9, 7}, function() return true end))

local t = {}
for i = 1, 50000 do t[i] = i; t["k" .. i] = i end
for i = 1, 50000, 2 do t["k" .. i] = nil end
local sum, keys = 0, 0
for k, n in pairs(t) do keys = keys + 1; sum = sum + n end
print("pairs", keys, sum, #t)
print(table.concat(table.move({1, 2, 3, 4}, 2, 4, 1), ","), table.remove({1, 2, 3}, 1))
t = nil
local weak, kept = setmetatable({}, {__mode = "v"}), {}
local finalized = 0
for i = 1, 1000 do
    local one = setmetatable({}, {__gc = function() finalized = finalized + 1 end})
    weak[i] = one
    if i % 10 == 0 then kept[#kept + 1] = one end
end
collectgarbage()
collectgarbage()
local alive = 0
for _ in pairs(weak) do alive = alive + 1 end
print("weak", alive, #kept, finalized >= 899, collectgarbage("count") < 20000)
collectgarbage("generational")
for i = 1, 20000 do local _ = {i} end
print("modes", collectgarbage("incremental"))
