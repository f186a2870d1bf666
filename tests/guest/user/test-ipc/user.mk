# SPDX-License-Identifier: MIT
# Calls between processes, tested from both sides: master and its peers are one program.
PROGRAM := test-ipc
SRC := main.c check.c peer.c server.c client.c raw.S test_basic.c test_errors.c \
    test_capabilities.c test_ends.c \
    test_cpus.c test_messages.c test_many.c test_badges.c
DEPS := waiting
