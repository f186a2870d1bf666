# SPDX-License-Identifier: MIT
LIBRARY := waiting
SRC := waiting.c
