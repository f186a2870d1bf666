# SPDX-License-Identifier: MIT
# Trace core: event descriptions, points, per-CPU rings of CTF packets.
MODULE := trace
KERNEL_SRC := $(patsubst trace/%,%,$(wildcard trace/src/*.c trace/src/*.S))
DEPS := orrery
# In a kernel without the trace its headers are all there is (kernel/module.mk).
ifeq ($(filter trace,$(OBSERVERS)),)
KERNEL_SRC =
endif
