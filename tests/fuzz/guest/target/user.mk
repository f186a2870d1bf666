# SPDX-License-Identifier: MIT
# What makes the calls: a program without a C library or any other, so that nothing of it but the
# fuzzer's own doing comes between.
PROGRAM := fuzz-target
BARE := yes
SRC := start.S calls.S main.c memory.c values.c place.c perform.c own.c method.c event.c thread.c
ROOT_SRC := $(GEN)/fuzz/calls.c
ROOT_INC := tests/fuzz/guest/format
