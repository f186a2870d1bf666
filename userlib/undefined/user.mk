# SPDX-License-Identifier: MIT
# Checks for undefined behaviour, of programs that are built with them (kernel/sanitize/README.md).
LIBRARY := undefined
SRC := found.c
ROOT_SRC := runtime/src/undefined.c
ROOT_INC := runtime/include
