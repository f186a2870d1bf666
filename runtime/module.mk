# SPDX-License-Identifier: MIT
# What compiled code calls without being asked; libraries of processes compile the same sources.
MODULE := runtime
KERNEL_SRC := src/memcpy.S src/memset.c \
    $(if $(filter undefined,$(SANITIZERS)),src/undefined.c)
DEPS := orrery
