# SPDX-License-Identifier: MIT
# SQLite's shell and its benchmark, by one thread at a time, with the VFS for Unix. Locks are
# folders (unix-dotfile, mended by recovery.c), or record locks if `-vfs unix` says so. Left out is
# what needs memory that several processes share by a file (WAL, mmap), other programs (popen,
# system), or code that is loaded.
PACKAGE := sqlite3
# Debian has the sources that one file is put together from.
PREPARE := mkdir -p built && cd built && ../configure --disable-tcl --disable-readline \
    --disable-load-extension && env -u MAKEFLAGS -u MAKELEVEL make sqlite3.c shell.c
PROGRAMS := sqlite3=built/shell.c speedtest1=test/speedtest1.c
SRC := built/sqlite3.c
OWN := ports/sqlite/recovery.c
INC := built
CFLAGS := -DSQLITE_THREADSAFE=0 -DSQLITE_DEFAULT_UNIX_VFS='"unix-dotfile"' -DSQLITE_OMIT_WAL \
    -DSQLITE_MAX_MMAP_SIZE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_POPEN \
    -DSQLITE_NOHAVE_SYSTEM -DSQLITE_EXTRA_INIT=orrery_recovery
# What ports/tests has it do, here and on the host.
FILES := ports/sqlite/script.sql=ports/sqlite/script.sql
