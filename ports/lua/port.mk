# SPDX-License-Identifier: MIT
# Lua's interpreter, with what the C standard has and no more (no LUA_USE_POSIX): it has no popen,
# and no loading of code. The compiler luac is left out, which nothing here reads the output of.
PACKAGE := lua5.4
# What debian/rules writes, for where modules in C are looked for.
PREPARE := printf '\043define DEB_HOST_MULTIARCH "powerpc64-orrery"\n' > src/lua5.4-deb-multiarch.h
PROGRAMS := lua=src/lua.c
SRC := $(addprefix src/,lapi.c lauxlib.c lbaselib.c lcode.c lcorolib.c lctype.c ldblib.c ldebug.c \
    ldo.c ldump.c lfunc.c lgc.c linit.c liolib.c llex.c lmathlib.c lmem.c loadlib.c lobject.c \
    lopcodes.c loslib.c lparser.c lstate.c lstring.c lstrlib.c ltable.c ltablib.c ltm.c lundump.c \
    lutf8lib.c lvm.c lzio.c)
INC := src
CFLAGS := -DLUA_COMPAT_5_3
# What ports/tests has Lua say, here and on the host.
FILES := $(foreach script,$(wildcard ports/lua/*.lua),$(script)=$(script))
