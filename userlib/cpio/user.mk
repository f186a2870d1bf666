# SPDX-License-Identifier: MIT
# Reading the initial file system.
LIBRARY := cpio
SRC := cpio.c
