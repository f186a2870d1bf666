# SPDX-License-Identifier: MIT
# What a process can see of others: in its registers, and behind its messages.
PROGRAM := test-leaks
SRC := main.c peer.c serve.c registers.c registers.S sprs.c sprs.S bulk.c observers.c shapes.c \
    bare.c bare.S
DEPS := waiting
ROOT_INC := tests/guest/user/test-isolation
