# SPDX-License-Identifier: MIT
UNIT += userlib_timers
userlib_timers_SRC := tests/unit/userlib/timers.c userlib/src/timers.c
userlib_timers_INC := userlib/src

UNIT += userlib_elf
userlib_elf_SRC := tests/unit/userlib/elf.c userlib/src/elf.c
userlib_elf_INC := userlib/src
