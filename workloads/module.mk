# SPDX-License-Identifier: MIT
# Loads to watch and to measure, as threads of the kernel.
MODULE := workloads
KERNEL_SRC := $(patsubst workloads/%,%,$(wildcard workloads/src/*.c))
DEPS := orrery kernel clustered-objects trace
