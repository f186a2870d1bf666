# SPDX-License-Identifier: MIT
UNIT += elf
elf_SRC := tests/unit/elf/elf.c elf/src/elf.c
elf_INC := elf/include
