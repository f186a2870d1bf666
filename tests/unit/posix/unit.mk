# SPDX-License-Identifier: MIT
# Paths and typed lines of the posix library; the tables of its calls and of threads.
UNIT += posix_path posix_line posix_tables posix_threads
posix_path_SRC := tests/unit/posix/path.c userlib/posix/path_text.c
posix_path_INC := userlib/posix
posix_line_SRC := tests/unit/posix/line.c userlib/posix/line.c
posix_line_INC := userlib/posix
posix_tables_SRC := tests/unit/posix/tables.c $(addprefix tests/guest/user/test-posix/, \
    characters.c commands.c errors.c headers.c numbers.c patterns.c values.c)
posix_tables_INC := tests/guest/user/test-posix
posix_tables_CFLAGS := -D_GNU_SOURCE
posix_tables_LIBS := m
posix_tables_SANITIZERS := undefined # address ends a wrong posix_memalign
posix_threads_SRC := tests/unit/posix/threads.c $(addprefix tests/guest/user/test-pthreads/, \
    account.c c11.c calls.c threads.c)
posix_threads_INC := tests/guest/user/test-pthreads
posix_threads_CFLAGS := -D_GNU_SOURCE
