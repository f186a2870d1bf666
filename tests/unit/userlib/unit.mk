# SPDX-License-Identifier: MIT
UNIT += userlib_timers
userlib_timers_SRC := tests/unit/userlib/timers.c userlib/src/timers.c
userlib_timers_INC := userlib/src


UNIT += userlib_policy
userlib_policy_SRC := tests/unit/userlib/policy.c userlib/src/policy.c
userlib_policy_INC := userlib/src include
