# SPDX-License-Identifier: MIT
# A search for the value of a position of connect-four, which profiles itself (S001 §5.1).
PROGRAM := fhour
SRC := main.c board.c search.c table.c hot.c
