-- SPDX-License-Identifier: MIT
-- Files below /tmp in all ways, what a call that fails says, the date.
local name = "/tmp/lua-files.txt"
local file = assert(io.open(name, "w"))
print(file:setvbuf("full", 512), file:write("first line\n", 42, " ", 1.5, "\nthird\n") == file)
print(file:seek("cur"), file:seek("set", 6), file:write("LINE") == file, file:seek("end"))
print(file:close(), io.type(file), pcall(file.write, file, "x"))
for line in io.lines(name) do print("line", line) end
for kind, number, rest in io.lines(name, "l", "n", "L") do print(kind, number, rest) break end
file = assert(io.open(name, "a+"))
print(file:write("appended") == file, file:seek("set"), file:read("l", "n", "n", "l", "a"))
print(file:read("a"), file:read("l"), file:read(0), file:close())
file = assert(io.open(name, "r+b"))
print(file:read(5), file:read(0), file:seek("end", -3), file:read(10), file:read(1))
print(file:close())
print(io.open("/tmp/no/such", "r"))
print(io.open("/tmp", "w"))
print(pcall(io.open, name, "wrong"))
local big, lines = assert(io.open(name, "w")), 0
for i = 1, 20000 do big:write(i, "\n") end
big:close()
for line in io.lines(name) do lines = lines + tonumber(line) end
print("sum of lines", lines)
print(os.rename(name, name .. "2"), io.open(name), os.remove(name .. "2"))
print(os.remove(name))
print(os.getenv("NO_SUCH_VARIABLE"), os.date("!%Y-%m-%d %H:%M:%S %j %a %b", 86400 * 365))
print(os.time{year = 2001, month = 9, day = 9, hour = 1, min = 46, sec = 40} // 86400)
print(type(os.clock()), os.difftime(5, 3), io.write("written\n") == io.stdout)
