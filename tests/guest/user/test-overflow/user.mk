# SPDX-License-Identifier: MIT
# A process that is told of the overflows that hit it: exact counts, rights, handlers that
# misbehave, ends at any moment. Master and children are one program.
PROGRAM := test-overflow
SRC := main.c session.c exact.c refusals.c children.c storm.c
DEPS := expect waiting
