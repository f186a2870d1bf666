# SPDX-License-Identifier: MIT
# The thread library: start-up, scheduler, sleep locks, calls, processes, and what newlib needs.
LIBRARY := user
SRC := $(patsubst userlib/%,%,$(wildcard userlib/src/*.c userlib/src/*.S userlib/libc/*.c \
    userlib/libc/*.S))
ROOT_SRC := $(GEN)/syscalls/stubs.S runtime/src/memcpy.S runtime/src/memset.c elf/src/elf.c \
    log-handler/src/handler.c
ROOT_INC := clustered-objects/include elf/include log-handler/include trace/include
PRIVATE_INC := src
