// SPDX-License-Identifier: MIT
// Address spaces, between the files that implement them: space.c (life, list of regions),
// operations.c (what calls do with regions), fault.c (faults), access.c (the
// kernel's reads and writes).
#ifndef KERNEL_MEM_SPACE_H
#define KERNEL_MEM_SPACE_H

#include "region.h"
#include "region_map.h"

#include <kernel/process.h>
#include <kernel/wait.h>

#define SPACE_MAGIC 0x53504143 // "SPAC"

struct address_space {
    struct process *process;
    struct hat *hat;
    struct pm *pm;
    u32 magic; // SPACE_MAGIC
    volatile bool ending;
    volatile u64 waits;     // for pages of files, now
    struct region_map *map; // replaced under the lock, read without
    struct spinlock lock;
    struct wait_queue changes; // for the end of an operation on a region; under the lock
    struct region_map *retired, *retired_last; // maps that look-ups may still use, oldest first
    struct {
        u64 faults;
        u64 last_range; // region_map_find_again's guess
        u64 pad[14];
    } cpu[ORRERY_MAX_CPUS];
};

static inline const struct region_map *space_map(const struct address_space *space)
{
    return __atomic_load_n(&space->map, __ATOMIC_ACQUIRE);
}

// Puts a new map in the place of the present one. The caller holds the space's lock.
void space_set_map(struct address_space *space, struct region_map *map);

// One fault of a space, with what must be told beside address and access already in it. No lock
// held; may block when fault->wait is NULL.
enum fault_result space_resolve(struct address_space *space, struct fault *fault);

#endif
