# SPDX-License-Identifier: MIT
UNIT += kernel_pages
kernel_pages_SRC := tests/unit/kernel/pages.c tests/unit/kernel/host.c kernel/mem/pages.c
kernel_pages_INC := kernel/include . kernel
kernel_pages_CFLAGS := -include tests/unit/kernel/host.h

UNIT += boot_options
boot_options_SRC := tests/unit/kernel/options.c boot/src/options.c
boot_options_INC := boot/include kernel/include trace/include
