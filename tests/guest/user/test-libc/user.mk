# SPDX-License-Identifier: MIT
# newlib as a program sees it: known answers.
PROGRAM := test-libc
SRC := main.c copies.c malloc.c math.c setjmp.c stdio.c stdlib.c string.c time.c
DEPS := expect
