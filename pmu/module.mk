# SPDX-License-Identifier: MIT
# Performance monitoring: events, groups, turns, scaled counts, buffers of samples.
MODULE := pmu
KERNEL_SRC := $(patsubst pmu/%,%,$(wildcard pmu/src/*.c))
DEPS := orrery
