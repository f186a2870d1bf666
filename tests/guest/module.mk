# SPDX-License-Identifier: MIT
# In-kernel microbenchmarks and workloads.
MODULE := guest
KERNEL_SRC := $(patsubst tests/guest/%,%,$(wildcard tests/guest/*.c tests/guest/*/*.c tests/guest/*/*.S))
DEPS := orrery kernel clustered-objects trace pmu boot
