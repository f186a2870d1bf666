# SPDX-License-Identifier: MIT
# Makes programs, has processes run them, and looks whether everything is as before afterwards.
PROGRAM := fuzz
SRC := main.c options.c archive.c random.c values.c make.c corpus.c slot.c hub.c census.c files.c \
    totals.c monitor.c failing.c
ROOT_SRC := $(GEN)/fuzz/calls.c
ROOT_INC := tests/fuzz/guest/format tests/fuzz/plugin
DEPS := ipc cpio
