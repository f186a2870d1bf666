# SPDX-License-Identifier: MIT
# From firmware's entry to running services.
MODULE := boot
KERNEL_SRC := $(patsubst boot/%,%,$(wildcard boot/src/*.c boot/src/*.S))
DEPS := orrery kernel clustered-objects trace pmu workloads
