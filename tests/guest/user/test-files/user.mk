# SPDX-License-Identifier: MIT
# Files as programs see them.
PROGRAM := test-files
SRC := main.c children.c contents.c descriptors.c direct.c directories.c exhausted.c killed.c \
    mappings.c names.c own_pipes.c pipes.c rights.c running.c stdio.c storm.c
DEPS := expect waiting
