// SPDX-License-Identifier: MIT
// The object manager's interface for its host, the kernel or a process's library: start-up,
// services, faults, attribution.
#ifndef CO_MANAGER_H
#define CO_MANAGER_H

#include <co/object.h>

// Creates the root of the object tree (Kernel, Process) and the ObjectManager. On the first CPU,
// once; the platform interface works, and this CPU's window head is mapped. Returns 0 or E_NOMEM.
s64 co_init(void);
// Prepares another CPU, before it uses any object. Runs on any CPU; the other's window head is
// mapped and zeroed. Unprepared CPUs count as absent. Returns 0 or E_NOMEM.
s64 co_init_cpu(u32 cpu);
// Starts the reapers of CPUs that have none, once threads can be created. Returns 0 or E_NOMEM. One
// caller at a time.
s64 co_start(void);

// Makes a service object a child of the root object. Returns 0 or E_LIMIT. Thread context.
s64 co_add_service(coid_t coid);

// Repairs an access to a CPU's window at or above R13_LTT that found no mapping, for the host's
// data-fault handler (in the kernel DSISR 0x40000000; not a protection fault). Maps the stale page,
// or the junk page of counts. Returns true: repaired, retry; false: not ours, or no memory. Any
// context but PMI: never pass an access with a fixup (safe_read).
bool co_fault(u64 address);

// Do the ObjectManager's part of the system calls of the same names (orrery/sys.h), in the kernel,
// and of EVENT_INSPECT, in a process. Thread context.
s64 co_manager_scan(u64 *cursor, void *buffer, u64 bytes);
struct sys_class;
s64 co_manager_class(u32 index, struct sys_class *class_info);
s64 co_manager_dref_enable(bool on);
s64 co_manager_dref_read(u64 *cursor, void *buffer, u64 bytes);

// Tells where an object's root lies, with all that is in one piece of memory with it. Without an
// object, or if its class does not tell, *bytes is 0. Not concurrently with its destruction, unless
// the calling thread's generation keeps it.
void co_object_memory(coid_t coid, u64 *address, u32 *bytes);

enum co_rep_state {
    CO_REP_LIVE,  // a rep of a live object
    CO_REP_STALE, // a rep whose object is gone
    CO_REP_NONE,  // not a rep
};
// Finds the object that owns the rep at this (sampled, untrusted) address, seen on cpu. Returns its
// COID, or 0 with the reason in *state. Any context, PMI included.
coid_t co_rep_to_coid(u64 rep_address, u32 cpu, enum co_rep_state *state);

struct co_stat {
    u64 created, destroyed, reclaimed; // objects, since boot
    u64 chunks;                        // pages of COIDs backed now
    u64 chunks_reclaimed;              // pages of COIDs given back, since boot
    u64 misses_lost;                   // reps made in vain: another thread was first
    u64 faults;                        // repairs by co_fault
};
void co_stat(struct co_stat *stat);

#endif
