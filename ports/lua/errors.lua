-- SPDX-License-Identifier: MIT
-- Errors: what they say, handlers, nesting of 200 calls, full stacks, memory that is not there.
print(pcall(error, "text"))
print(pcall(error, "text", 0))
print(pcall(error))
print(select(2, pcall(error, {code = 7})).code)
print(xpcall(function() return nil + 1 end, function(said) return "handled: " .. said end))
print(pcall(function() local t = {}; t.x.y = 1 end))
print(pcall(function() return #5 end))
print(pcall(function() return {} < {} end))
print(pcall(function() undefined_function() end))
print(pcall(string.rep))
print(load("for i = 1 do end", "=chunk"))
print(load("x = = 1", "=chunk"))
print(load("goto nowhere", "=chunk"))
print(load("\27Lua", "=binary", "t"))

local function deep(n)
    if n == 0 then return "bottom" end
    local ok, said = pcall(deep, n - 1)
    return said
end
print("150 pcalls", deep(150))
local function endless() return 1 + endless() end
local ok, said = pcall(endless)
print(ok, said:match("stack overflow"))
print(pcall(string.rep, "0123456789abcdef", 1 << 36))
print("goes on", deep(10))
local trace = debug.traceback("trace", 1)
print(trace:match("^trace\nstack traceback:\n") ~= nil, trace:match("in main chunk") ~= nil)
assert(not pcall(assert, false, "told"))
print(pcall(assert, nil))
warn("@on")
print(require == nil, pcall(require, "no-such-module-anywhere") )
