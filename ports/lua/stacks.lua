-- SPDX-License-Identifier: MIT
-- 200 nested calls of C functions (LUAI_MAXCCALLS) fit into the stack that programs have: what ends
-- each is Lua's own limit, at the same depth everywhere.
local function depth_of(step)
    local depth = 0
    local function go()
        depth = depth + 1
        step(go)
    end
    local ok, said = pcall(go)
    return depth, ok, tostring(said):match("C stack overflow")
end
print("pcall", depth_of(function(go) assert(pcall(go)) end))
print("gsub", depth_of(function(go) string.gsub("x", "x", go) end))
print("sort", depth_of(function(go) table.sort({1, 2}, function() go() return false end) end))
print("load", depth_of(function(go) load(function() go() end) end))
print("coroutine", depth_of(function(go) assert(coroutine.resume(coroutine.create(go))) end))
print("metamethod", depth_of(function(go)
    tostring(setmetatable({}, {__tostring = function() go() return "" end}))
end))
print("parser", load("return " .. ("("):rep(150) .. "1" .. (")"):rep(150))())
print("parser", (select(2, load("return " .. ("("):rep(300) .. "1" .. (")"):rep(300), "=nested"))))
print("pattern", #("a"):rep(150):match(("(a?)"):rep(30) .. ("a"):rep(30)))
print("concat", pcall(string.rep, "x", -1), #table.concat({("y"):rep(100000), "z"}))
