# SPDX-License-Identifier: MIT
# Programs as ELF files; userlib compiles the same source.
MODULE := elf
KERNEL_SRC := src/elf.c
DEPS := orrery
