# SPDX-License-Identifier: MIT
# Machine resources: exceptions, locks, memory, threads, devices.
MODULE := kernel
# Folders of observe/: they watch the others, and a kernel can do without them; their system
# calls then say E_NOTSUP. OBSERVERS= leaves them all out.
OBSERVERS ?= log monitors trace
ABSENT := $(filter-out $(OBSERVERS),log monitors trace)
$(if $(filter-out log monitors trace,$(OBSERVERS)),\
    $(error OBSERVERS= takes some of log, monitors, trace, or nothing))
# Assembly stands together: its conditional branches reach 32 KB.
KERNEL_SRC := $(patsubst kernel/%,%,$(filter-out $(SANITIZE_OMITTED) \
    $(ABSENT:%=kernel/observe/%/%), $(wildcard kernel/*/*.c kernel/observe/*/*.c \
    kernel/*/*.S kernel/observe/*/*.S)))
DEPS := orrery clustered-objects trace pmu elf runtime log-handler
