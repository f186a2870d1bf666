// SPDX-License-Identifier: MIT
// The object manager towards its host, the kernel or a process's library: start-up, services,
// faults, attribution.
#ifndef CO_MANAGER_H
#define CO_MANAGER_H

#include <co/object.h>

// On the first CPU, once: the platform interface works, this CPU's window head is mapped. Creates
// the root of the object tree (Kernel, Process) and the ObjectManager. 0 or E_NOMEM.
s64 co_init(void);
// For another CPU, before it uses any object, on any CPU; its window head is mapped and zeroed.
// CPUs without it count as not there. 0 or E_NOMEM.
s64 co_init_cpu(u32 cpu);
// Threads can be created: starts the reapers of the CPUs that have none. 0 or E_NOMEM. One caller
// at a time.
s64 co_start(void);

// Makes a service object a child of the root object. 0 or E_LIMIT. Thread context.
s64 co_add_service(coid_t coid);

// For the host's data-fault handler: an access to an address in any CPU's window at or above
// R13_LTT found no mapping (in the kernel DSISR 0x40000000; not a protection fault). Maps what
// belongs there (the stale page, or the junk page of counts). True: repaired, retry. False: not
// ours, or no memory. Any context but PMI: an access with a fixup (safe_read) must not be brought
// here.
bool co_fault(u64 address);

// What the ObjectManager does for the system calls of the same names (orrery/sys.h), in the kernel,
// and for EVENT_MONITOR, in a process. Thread context.
s64 co_manager_scan(u64 *cursor, void *buffer, u64 bytes);
struct sys_class;
s64 co_manager_class(u32 index, struct sys_class *class_info);
s64 co_manager_dref_enable(bool on);
s64 co_manager_dref_read(u64 *cursor, void *buffer, u64 bytes);

enum co_rep_state {
    CO_REP_LIVE,  // a rep of a live object
    CO_REP_STALE, // a rep, its object is gone
    CO_REP_NONE,  // no rep at all
};
// Which object owns the rep at this (sampled, untrusted) address, seen on cpu. Returns its COID, or
// 0 and in *state why not. Any context, PMI included.
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
