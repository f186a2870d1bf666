# SPDX-License-Identifier: MIT
# Machine resources: exceptions, locks, memory, threads, devices.
MODULE := kernel
KERNEL_SRC := $(patsubst kernel/%,%,$(filter-out $(SANITIZE_OMITTED),$(wildcard kernel/*/*.c \
    kernel/*/*.S)))
# WITHOUT_SENSORS=1: those of monitors are compiled out, and there are no monitors.
WITHOUT_SENSORS ?=
KERNEL_CFLAGS := $(if $(filter 1,$(WITHOUT_SENSORS)),-DWITHOUT_SENSORS)
DEPS := orrery clustered-objects trace pmu elf runtime log-handler
