-- SPDX-License-Identifier: MIT
-- Coroutines: generators, errors within, yields across pcall, many at once, wrong uses.
local function permutations(list)
    local function go(n)
        if n == 0 then coroutine.yield(table.concat(list, " ")) end
        for i = 1, n do
            list[n], list[i] = list[i], list[n]
            go(n - 1)
            list[n], list[i] = list[i], list[n]
        end
    end
    return coroutine.wrap(function() go(#list) end)
end
for one in permutations{"a", "b", "c"} do print("permutation", one) end

local inside = coroutine.create(function(...)
    print("begins with", ...)
    local ok, said = pcall(function()
        local got = coroutine.yield("from pcall")
        error({code = got})
    end)
    print("caught", ok, said.code)
    return "ended"
end)
print(coroutine.resume(inside, 1, 2))
print(coroutine.resume(inside, 42))
print(coroutine.status(inside), coroutine.resume(inside))

local total, many = 0, {}
for i = 1, 2000 do
    many[i] = coroutine.wrap(function() for k = 1, 5 do coroutine.yield(i * k) end end)
end
for _ = 1, 5 do
    for i = 1, #many do total = total + many[i]() end
end
print("2000 at once", total)

local failing = coroutine.create(function() local x <const> = nil; return x.field end)
print(coroutine.resume(failing))
print(coroutine.close(coroutine.create(print)), coroutine.isyieldable())
print(pcall(coroutine.yield))
local running, main = coroutine.running()
print(type(running), main)
