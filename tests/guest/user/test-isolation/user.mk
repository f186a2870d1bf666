# SPDX-License-Identifier: MIT
# A program that tries everything it must not do: each attempt in a process of its own.
PROGRAM := test-isolation
SRC := main.c attempts.c confused.c exhaust.c privileged.S broken.S random.c
DEPS := waiting
