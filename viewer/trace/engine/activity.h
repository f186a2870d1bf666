// SPDX-License-Identifier: MIT
// Tells from the kernel's events what each CPU does: which thread runs, of which process, and
// whether it is in a system call, a fault or an interrupt. It is a visitor of the engine. If the
// events do not tell, or are missing, the activity is unknown: it never guesses. Memory: by the
// number of threads.
#ifndef KOV_ACTIVITY_H
#define KOV_ACTIVITY_H

#include "trace/engine/event_fields.h"

enum activity {
    ACTIVITY_UNKNOWN,
    ACTIVITY_IDLE,
    ACTIVITY_RUN,       // the thread's own code
    ACTIVITY_SYSCALL,   // detail: its number
    ACTIVITY_IPC,       // the kernel, for a call, a reply, or other events of IPC
    ACTIVITY_FAULT,     // detail: the vector
    ACTIVITY_INTERRUPT, // external, the decrementer, or from another CPU
};

#define ACTIVITY_NO_THREAD UINT64_MAX
#define ACTIVITY_NO_PID UINT64_MAX

// A time in which nothing changes on a CPU. Thread and process may be unknown.
struct activity_interval {
    u64 from, to;
    u32 cpu;
    enum activity activity;
    u64 thread, pid, detail;
    u64 call; // number of the open system call, whatever the CPU does in it; 0: none
};

struct activity_thread;
#define ACTIVITY_EVENTS 16

// A thread's state in the recording's state (trace/events/state.def).
enum told_state { TOLD_RUNS, TOLD_PARKED, TOLD_READY, TOLD_ENDED, TOLD_ASKS };

struct activity_machine {
    struct event_fields events[ACTIVITY_EVENTS];
    struct activity_thread *threads; // by id
    size_t count, capacity;
    struct activity_interval cpus[ORRERY_MAX_CPUS]; // what goes on now; `to` is not valid
    u64 enabled;                                    // majors, from the recording's state
    u32 told;                                       // mask of CPUs
    // Who left each CPU, if that was its last event. The fast path of calls switches before it
    // tells.
    u64 handed_by[ORRERY_MAX_CPUS];
    u64 doer; // who did what the last event tells, even if it had left its CPU by then
    int (*interval)(void *context, const struct activity_interval *interval);
    void *context;
};

// Returns the CPUs of which the trace has something. Others are not told of.
u32 activity_cpus(const struct engine *engine);
// Begins. `descriptions` are the engine's. `cpus` is a mask of CPUs that the trace has. `from` is
// where the visit begins.
void activity_begin(struct activity_machine *machine, const struct descriptions *descriptions,
                    u32 cpus, u64 from);
struct visitor activity_visitor(struct activity_machine *machine);
// Tells what lasts until `to`, unless a visitor had enough. Frees all.
int activity_end(struct activity_machine *machine, u64 to);

#endif
