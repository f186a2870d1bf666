# SPDX-License-Identifier: MIT
# POSIX's and C11's threads, over the library's own.
LIBRARY := pthread
SRC := attributes.c barrier.c c11.c cancel.c condition.c keys.c mutex.c rwlock.c spin.c thread.c
DEPS := posix
