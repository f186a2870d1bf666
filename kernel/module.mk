# SPDX-License-Identifier: MIT
# Machine resources: exceptions, locks, memory, threads, devices.
MODULE := kernel
# Folders of observe/: they watch the others, and a kernel can do without them; their system
# calls then say E_NOTSUP. OBSERVERS= leaves them all out.
OBSERVERS ?= log monitors
ABSENT := $(filter-out $(OBSERVERS),log monitors)
$(if $(filter-out log monitors,$(OBSERVERS)),$(error OBSERVERS= takes log, monitors or nothing))
KERNEL_SRC := $(patsubst kernel/%,%,$(filter-out $(SANITIZE_OMITTED) \
    $(ABSENT:%=kernel/observe/%/%), $(wildcard kernel/*/*.c kernel/*/*.S \
    kernel/observe/*/*.c kernel/observe/*/*.S)))
# WITHOUT_SENSORS=1: those of monitors are compiled out, and there are no monitors.
WITHOUT_SENSORS ?=
KERNEL_CFLAGS := $(ABSENT:%=-DWITHOUT_%) $(if $(filter 1,$(WITHOUT_SENSORS)),-DWITHOUT_SENSORS)
DEPS := orrery clustered-objects trace pmu elf runtime log-handler
