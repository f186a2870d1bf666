# SPDX-License-Identifier: MIT
# The log handler; userlib compiles the same source.
MODULE := log-handler
KERNEL_SRC := $(if $(filter log,$(OBSERVERS)),src/handler.c)
DEPS := orrery
