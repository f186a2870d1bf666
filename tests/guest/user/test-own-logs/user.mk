# SPDX-License-Identifier: MIT
# Logs that programs write for a scheduler: an owner, programs that are logged, and liars on both
# sides. Master and children are one program.
PROGRAM := test-own-logs
SRC := main.c owner.c program.c exact.c liars.c ends.c example.c
DEPS := expect waiting log
ROOT_INC := userlib/src
