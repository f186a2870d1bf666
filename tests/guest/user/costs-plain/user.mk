# SPDX-License-Identifier: MIT
# bin/costs without hooks: of DREF in its loop of DREFs, and of its sleep locks, whose queues it
# brings with it in place of the library's.
PROGRAM := costs-plain
ROOT_SRC := $(wildcard tests/guest/user/costs/*.c) userlib/src/blocked_threads.c
ROOT_INC := tests/guest/user/costs userlib/src clustered-objects/include
CFLAGS := -DCOSTS_PLAIN -DBLOCKED_THREADS_WITHOUT_HOOK
