// SPDX-License-Identifier: MIT
// The object manager towards the kernel that hosts it: start-up, services, faults, attribution.
#ifndef CO_MANAGER_H
#define CO_MANAGER_H

#include <co/object.h>

// Boot CPU, once: pages, kmalloc and the MMU work, the boot CPU's window head is mapped. Creates the
// Kernel object (root of the object tree) and the ObjectManager. 0 or E_NOMEM.
s64 co_init(void);
// For CPU 1, 2, … in this order, on the boot CPU before that CPU starts; its window head is mapped and
// zeroed. 0 or E_NOMEM.
s64 co_init_cpu(u32 cpu);
// Threads can be created, all CPUs are up: starts the reapers, one a CPU. 0 or E_NOMEM.
s64 co_start(void);

// Makes a service object a child of the Kernel object. 0 or E_LIMIT. Thread context.
s64 co_add_service(coid_t coid);
// COID of the Kernel object, the root of the tree.
coid_t co_kernel_object(void);

// For the kernel's data-fault handler: a kernel access to an address in any CPU's window at or above
// R13_LTT found no mapping (DSISR 0x40000000; not a protection fault). Maps what belongs there (the
// stale page, or the junk page of counts). True: repaired, retry. False: not ours, or no memory for
// page tables. Any context but PMI: an access with a fixup (safe_read) must not be brought here.
bool co_fault(u64 address);

enum co_rep_state {
    CO_REP_LIVE,  // a rep of a live object
    CO_REP_STALE, // a rep, its object is gone
    CO_REP_NONE,  // no rep at all
};
// Which object owns the rep at this (sampled, untrusted) address, seen on cpu. Returns its COID, or 0 and
// in *state why not. Any context, PMI included.
coid_t co_rep_to_coid(u64 rep_address, u32 cpu, enum co_rep_state *state);

struct co_stat {
    u64 created, destroyed, reclaimed; // objects, since boot
    u64 chunks;                        // pages of COIDs backed now
    u64 chunks_reclaimed;              // pages of COIDs given back, since boot
    u64 misses_lost;                   // reps made for nothing, another thread was first
    u64 faults;                        // co_fault repairs
};
void co_stat(struct co_stat *stat);

#endif
