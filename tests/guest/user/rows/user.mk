# SPDX-License-Identifier: MIT
# The table that validation programs print.
LIBRARY := rows
SRC := rows.c
