# SPDX-License-Identifier: MIT
# Tracing in a process: exact counts on all CPUs, threads and processes ended at random instants.
PROGRAM := test-trace
SRC := main.c mask_off.c packets.c
DEPS := waiting
