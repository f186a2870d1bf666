# SPDX-License-Identifier: MIT
# Machine resources: exceptions, locks, memory, threads, devices.
MODULE := kernel
KERNEL_SRC := $(patsubst kernel/%,%,$(filter-out $(SANITIZE_OMITTED),$(wildcard kernel/*/*.c \
    kernel/*/*.S)))
DEPS := orrery clustered-objects trace pmu elf runtime
