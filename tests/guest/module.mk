# SPDX-License-Identifier: MIT
# In-kernel microbenchmarks, and workloads that crash: in images for
# tests only (IMAGE, scripts/make/kernel.mk).
MODULE := guest
KERNEL_SRC := $(patsubst tests/guest/%,%,$(wildcard tests/guest/*.c tests/guest/*/*.c \
    tests/guest/*/*.S))
# What a sanitizer has to find is only in its images.
KERNEL_SRC := $(filter-out $(if $(SANITIZERS),,workload/violation.c) \
    $(if $(filter address,$(SANITIZERS)),,workload/violation_address.c) \
    $(if $(filter undefined,$(SANITIZERS)),,workload/violation_undefined.c),$(KERNEL_SRC))
DEPS := orrery boot kernel clustered-objects trace pmu workloads
IMAGE := tests
