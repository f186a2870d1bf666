-- SPDX-License-Identifier: MIT
-- Closures, varargs, tail calls, metatables, goto, to-be-closed variables.
local function counter()
    local n = 0
    return function(by) n = n + (by or 1); return n end
end
local a, b = counter(), counter()
print("closures", a(), a(5), b(), a())

local made = {}
for i = 1, 3 do made[i] = function() i = i * 10; return i end end
print("loop variables", made[1](), made[1](), made[2](), made[3]())

local function count(...) return select("#", ...), (select(-1, ...)) end
print("varargs", count(nil, 2, nil, "last"))
print("unpack", table.unpack({1, 2, 3, nil, 5}, 1, 5))

local function down(n) if n == 0 then return "the bottom" end return down(n - 1) end
print("tail calls", down(1000000))

local Vector = {}
Vector.__index = Vector
Vector.__add = function(l, r) return setmetatable({l[1] + r[1], l[2] + r[2]}, Vector) end
Vector.__eq = function(l, r) return l[1] == r[1] and l[2] == r[2] end
Vector.__lt = function(l, r) return l[1] < r[1] end
Vector.__len = function() return 2 end
Vector.__call = function(self, k) return self[k] end
Vector.__concat = function(l, r) return tostring(l) .. "|" .. tostring(r) end
Vector.__tostring = function(v) return "(" .. v[1] .. "," .. v[2] .. ")" end
local function vector(x, y) return setmetatable({x, y}, Vector) end
local v = vector(1, 2) + vector(3, 4)
print("metatables", tostring(v), v == vector(4, 6), v < vector(5, 0), #v, v(2), v .. v)

do
    local log = {}
    do
        local first <close> = setmetatable({}, {__close = function() log[#log + 1] = "first" end})
        local second <close> = setmetatable({}, {__close = function() log[#log + 1] = "second" end})
        log[#log + 1] = "body"
    end
    print("closed", table.concat(log, " "))
end

local primes = {}
for n = 2, 60 do
    for d = 2, n - 1 do
        if n % d == 0 then goto next end
    end
    primes[#primes + 1] = n
    ::next::
end
print("goto", table.concat(primes, " "))
print("load", load("local a, b = ...; return a * b")(6, 7), load("return ="))
