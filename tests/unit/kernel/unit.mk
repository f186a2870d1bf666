# SPDX-License-Identifier: MIT
UNIT += kernel_pages
kernel_pages_SRC := tests/unit/kernel/pages.c tests/unit/kernel/host.c kernel/mem/pages.c
kernel_pages_INC := kernel/include . kernel
kernel_pages_CFLAGS := -include tests/unit/kernel/host.h

UNIT += kernel_options
kernel_options_SRC := tests/unit/kernel/options.c kernel/system/options.c
kernel_options_INC := kernel/include trace/include

UNIT += kernel_page_map
kernel_page_map_SRC := tests/unit/kernel/page_map.c tests/unit/kernel/host.c kernel/mem/page_map.c
kernel_page_map_INC := kernel/include clustered-objects/include . kernel
kernel_page_map_CFLAGS := -include tests/unit/kernel/host.h

UNIT += kernel_region_map
kernel_region_map_SRC := tests/unit/kernel/region_map.c tests/unit/kernel/host.c \
    kernel/mem/region_map.c
kernel_region_map_INC := kernel/include clustered-objects/include . kernel
kernel_region_map_CFLAGS := -include tests/unit/kernel/host.h

UNIT += kernel_reclaim
kernel_reclaim_SRC := tests/unit/kernel/reclaim.c tests/unit/kernel/host.c kernel/mem/reclaim.c
kernel_reclaim_INC := kernel/include . kernel
kernel_reclaim_CFLAGS := -include tests/unit/kernel/host.h

UNIT += kernel_initrd
kernel_initrd_SRC := tests/unit/kernel/initrd.c tests/unit/kernel/host.c kernel/system/initrd.c
kernel_initrd_INC := kernel/include .
kernel_initrd_CFLAGS := -include tests/unit/kernel/host.h

UNIT += kernel_refs
kernel_refs_SRC := tests/unit/kernel/refs.c tests/unit/kernel/host.c kernel/sync/refs.c
kernel_refs_INC := kernel/include . kernel
kernel_refs_CFLAGS := -include tests/unit/kernel/host.h

UNIT += kernel_log_handler
kernel_log_handler_SRC := tests/unit/kernel/log_handler.c log-handler/src/handler.c
kernel_log_handler_INC := log-handler/include

UNIT += kernel_timer_heap
kernel_timer_heap_SRC := tests/unit/kernel/timer_heap.c kernel/proc/timer_heap.c
kernel_timer_heap_INC := kernel/include . kernel

UNIT += kernel_lockup
kernel_lockup_SRC := tests/unit/kernel/lockup.c
kernel_lockup_INC := kernel/include

UNIT += kernel_points
kernel_points_SRC := tests/unit/kernel/points.c kernel/points/points.c
kernel_points_INC := kernel/include
