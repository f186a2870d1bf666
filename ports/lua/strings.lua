-- SPDX-License-Identifier: MIT
-- Formats, numbers as text and back, patterns, packing in both byte orders, UTF-8.
local numbers = {0, 1, -1, 0.1, 1 / 3, -2.5e-10, 1e15, 1e16, 123456789.125, 2^53, 2^63, 2^-1022,
    1.7976931348623157e308, 1 / 0, -1 / 0, -0.0}
for _, n in ipairs(numbers) do
    local part = math.abs(n) < math.huge and n % 1e9 or n -- the sign of a NaN is the processor's
    print(string.format("%.14g|%g|%e|%.3f|%10.2f|%-12.4g|%+g|%a", n, n, n, part, part, n, n, n))
end
for _, n in ipairs{0, 1, -1, 255, math.maxinteger, math.mininteger, 1 << 40} do
    print(string.format("%d|%5d|%-8d|%08d|%x|%X|%#x|%o|%i|%c", n, n, n, n, n, n, n, n, n, 65))
end
print(string.format("%.17g", 5e-324)) -- with %a, a leading 0 or 1 is the library's to choose
print(string.format("%q %q %q", "a\n\0b\"\\", 1 / 3, math.mininteger))
print(string.format("%10s|%-10s|%.3s|%5.1s|%%", "right", "left", "cut off", "xyz"))
print(pcall(string.format, "%d", 1.5))
print(pcall(string.format, "%y", 1))
for _, text in ipairs{"10", " 0x1F ", "1e2", "0x.8p1", "1e", "0x", "9223372036854775808", "  ",
    "nan", "inf", "1_0", "-0", ".5", "5."} do
    print("tonumber", text, tonumber(text), math.type(tonumber(text)))
end
print(tonumber("zz", 36), tonumber("777", 8), tonumber("8", 8), 7 // 2, -7 // 2, 7 % -3, -7 % 3,
    7.5 // 2, 1e308 * 10, 3 | 4.0, math.tointeger(3.0), 10 / 2)
print(pcall(function() return 1 // 0 end))
print(("hello world"):find("o w"), ("hello"):match("(h)(.)"), ("a.b"):find(".", 2, true))
print(("key = value, k2=v2"):gsub("(%w+)%s*=%s*(%w+)", "%2:%1"))
print(("THE (quick) fox"):find("%((%a+)%)"), ("f(a(b)c)d"):match("%b()"))
print(("THE quick"):gsub("%f[%a]%a", string.lower), ("x"):rep(3, "-"), ("abc"):reverse())
print(pcall(string.rep, "x", 1 << 62))
print(pcall(string.find, "a", "[a"))
for w in ("one two  three"):gmatch("%a+") do io.write(w, ";") end
print()
local function hex(s) return (s:gsub(".", function(c) return ("%02x"):format(c:byte()) end)) end
print(hex(string.pack(">i4 <i4 >d <f z s1", -2, -2, 1.5, 0.25, "zero", "one")))
print(string.unpack("<i2 >I3 !8 z", string.pack("<i2 >I3 !8 z", -5, 70000, "end")))
print(utf8.char(228, 8364, 128512), utf8.len("äöü"), utf8.codepoint("€", 1), #"€")
print(utf8.len("\xff"), ("%s"):format(setmetatable({}, {__tostring = function() return "own" end})))
print(math.pi, math.sqrt(2), math.exp(1), math.sin(1), math.cos(1), math.log(10), math.log(8, 2))
print(math.fmod(-7, 3), math.ult(1, -1), math.floor(-1.5), math.ceil(-1.5), math.abs(-0.0))
