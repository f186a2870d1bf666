# SPDX-License-Identifier: MIT
# zlib's test program and its small gzip. The tests for its developers, as infcover of each branch
# of inflate, are left out: they look at zlib and not at what it runs on.
PACKAGE := zlib
PROGRAMS := zlib-example=test/example.c minigzip=test/minigzip.c
SRC := adler32.c crc32.c deflate.c infback.c inffast.c inflate.c inftrees.c trees.c zutil.c \
    compress.c uncompr.c gzclose.c gzlib.c gzread.c gzwrite.c
INC := .
# What its configure finds.
CFLAGS := -DHAVE_UNISTD_H -DHAVE_STDARG_H
