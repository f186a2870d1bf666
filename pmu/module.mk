# SPDX-License-Identifier: MIT
# Performance monitoring: the POWER PMU's driver, sampling, attribution to objects.
MODULE := pmu
KERNEL_SRC := $(patsubst pmu/%,%,$(wildcard pmu/driver/*.c pmu/driver/*.S pmu/src/*.c))
DEPS := orrery kernel clustered-objects trace
