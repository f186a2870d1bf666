# SPDX-License-Identifier: MIT
# Loads to watch and to measure, as threads of the kernel.
MODULE := workloads
KERNEL_SRC := $(patsubst workloads/%,%,$(wildcard workloads/src/*.c))
KERNEL_SRC := $(filter-out $(if $(filter trace,$(OBSERVERS)),,src/patch_storm.c),$(KERNEL_SRC))
DEPS := orrery kernel clustered-objects trace
