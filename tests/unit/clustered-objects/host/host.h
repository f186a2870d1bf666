// SPDX-License-Identifier: MIT
// The host process as the platform of clustered objects: threads play CPUs, windows are reserved
// address ranges whose pages are mapped from one memory file, the Default
// Object's trampolines are C.
#ifndef HOST_H
#define HOST_H

#include <co/object.h>
#include <trace/events.h>

#define HOST_CPUS 4

// Starts the object system with HOST_CPUS CPUs, once a process. cmocka group set-up.
int host_start(void **state);
// Which CPU the calling thread plays from now on; 0 at first. Threads may play the same one.
void host_set_cpu(u32 cpu);
// Every CPU passes through co_cpu_advance. Only while no other thread runs.
void host_advance_all(void);
// One step of every CPU's reaper: 0 when nothing is left. Only while no other thread runs.
u64 host_reap_step(void);
// Reaps until nothing is left. Only while no thread is a member of a generation.
void host_reap_all(void);

extern _Thread_local bool host_masked; // the calling thread cannot wait
// Instead of co_platform_rest's and _wait's pause, of this thread; NULL: it sleeps, and its CPU
// advances when it rests.
extern _Thread_local void (*host_resting)(void), (*host_waiting)(void);

extern u64 host_fail_after;       // the n-th allocation from now fails, and all after; 0: none does
extern u64 host_live_allocations; // co_platform_alloc less co_platform_free
extern u64 host_live_pages;
extern bool host_poked[HOST_CPUS]; // by co_platform_poke; a test clears it
extern u32 host_sites[2];          // the DREF sites' "instructions": 0 nop, 1 branch

#endif
