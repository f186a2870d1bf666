# SPDX-License-Identifier: MIT
UNIT += userlib_timers
userlib_timers_SRC := tests/unit/userlib/timers.c userlib/src/timers.c
userlib_timers_INC := userlib/src

