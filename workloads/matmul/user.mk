# SPDX-License-Identifier: MIT
# A matrix multiplication by threads that a thread of its own watches (S003 §3).
PROGRAM := matmul
SRC := main.c multiply.c collector.c
