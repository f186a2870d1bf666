# SPDX-License-Identifier: MIT
# Clustered objects: the module's portable sources on the host platform in host/.
CO_UNIT_DIR := tests/unit/clustered-objects
CO_UNIT_SRC := $(CO_UNIT_DIR)/host/host.c $(wildcard clustered-objects/src/*.c)
CO_UNIT_INC := clustered-objects/include clustered-objects $(CO_UNIT_DIR)/host

UNIT += co_lifetime co_miss co_counter co_scan co_quiesce co_threads co_races co_swap \
    co_swap_threads co_swap_races

co_lifetime_SRC := $(CO_UNIT_DIR)/lifetime.c $(CO_UNIT_SRC)
co_lifetime_INC := $(CO_UNIT_INC)
co_miss_SRC := $(CO_UNIT_DIR)/miss.c $(CO_UNIT_SRC)
co_miss_INC := $(CO_UNIT_INC)
co_counter_SRC := $(CO_UNIT_DIR)/counter.c $(CO_UNIT_SRC)
co_counter_INC := $(CO_UNIT_INC)
co_scan_SRC := $(CO_UNIT_DIR)/scan.c $(CO_UNIT_SRC)
co_scan_INC := $(CO_UNIT_INC)
co_quiesce_SRC := $(CO_UNIT_DIR)/quiesce.c $(CO_UNIT_SRC)
co_quiesce_INC := $(CO_UNIT_INC)
co_threads_SRC := $(CO_UNIT_DIR)/threads.c $(CO_UNIT_SRC)
co_threads_INC := $(CO_UNIT_INC)

co_swap_SRC := $(CO_UNIT_DIR)/swap.c $(CO_UNIT_SRC)
co_swap_INC := $(CO_UNIT_INC)
co_swap_threads_SRC := $(CO_UNIT_DIR)/swap_threads.c $(CO_UNIT_SRC)
co_swap_threads_INC := $(CO_UNIT_INC)

# Lifetime, misses and counts as in a process, where mapping a page copies it.
UNIT += co_lifetime_copies co_miss_copies co_scan_copies
co_lifetime_copies_SRC := $(co_lifetime_SRC)
co_lifetime_copies_INC := $(CO_UNIT_INC)
co_lifetime_copies_CFLAGS := -DHOST_MAP_COPIES
co_miss_copies_SRC := $(co_miss_SRC)
co_miss_copies_INC := $(CO_UNIT_INC)
co_miss_copies_CFLAGS := -DHOST_MAP_COPIES
co_scan_copies_SRC := $(co_scan_SRC)
co_scan_copies_INC := $(CO_UNIT_INC)
co_scan_copies_CFLAGS := -DHOST_MAP_COPIES

# The threads once more under the thread sanitizer.
co_races_SRC := $(co_threads_SRC)
co_races_INC := $(CO_UNIT_INC)
co_races_SANITIZERS := thread
co_swap_races_SRC := $(co_swap_threads_SRC)
co_swap_races_INC := $(CO_UNIT_INC)
co_swap_races_SANITIZERS := thread
