# SPDX-License-Identifier: MIT
# Clustered objects: COIDs, translation tables, misses, lifetime, scan, DREF counting.
MODULE := clustered-objects
KERNEL_SRC := src/trampoline.S src/mediator.S \
    $(patsubst clustered-objects/%,%,$(wildcard clustered-objects/src/*.c))
DEPS := orrery trace
