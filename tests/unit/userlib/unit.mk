# SPDX-License-Identifier: MIT
UNIT += userlib_timers
userlib_timers_SRC := tests/unit/userlib/timers.c userlib/src/timers.c
userlib_timers_INC := userlib/src userlib/include


# Each access of the reader to what the writer writes, too, is a step.
UNIT += userlib_log_reader
userlib_log_reader_SRC := tests/unit/userlib/log_reader.c userlib/log/reader.c \
    log-handler/src/handler.c
userlib_log_reader_INC := userlib/include log-handler/include
userlib_log_reader_CFLAGS := -include tests/unit/userlib/log_steps.h


UNIT += userlib_usage
userlib_usage_SRC := tests/unit/userlib/usage.c userlib/src/usage.c
userlib_usage_INC := userlib/src include
