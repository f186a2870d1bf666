# SPDX-License-Identifier: MIT
# POSIX's and C11's threads, as tables that the host's library is held against, too.
PROGRAM := test-pthreads
SRC := main.c calls.c c11.c account.c threads.c
DEPS := expect
