// SPDX-License-Identifier: MIT
// What each CPU does, from the kernel's events: which thread runs, of which process, and whether in
// a system call, a fault or an interrupt. A visitor of the engine. Where the events do not tell, or
// are missing, the activity is unknown: nothing is guessed. Memory: by the number of threads.
#ifndef KOV_ACTIVITY_H
#define KOV_ACTIVITY_H

#include "trace/engine/event_fields.h"

enum activity {
    ACTIVITY_UNKNOWN,
    ACTIVITY_IDLE,
    ACTIVITY_RUN,       // the thread's own code
    ACTIVITY_SYSCALL,   // detail: its number
    ACTIVITY_IPC,       // the kernel, for a call, a reply, or what else IPC has events of
    ACTIVITY_FAULT,     // detail: the vector
    ACTIVITY_INTERRUPT, // external, the decrementer, or from another CPU
};

#define ACTIVITY_NO_THREAD UINT64_MAX
#define ACTIVITY_NO_PID UINT64_MAX

// A time in which nothing changes on a CPU. Thread and process are told as far as they are known.
struct activity_interval {
    u64 from, to;
    u32 cpu;
    enum activity activity;
    u64 thread, pid, detail;
    u64 call; // number of the system call that is open, whatever is done in it; 0: none
};

struct activity_thread;
#define ACTIVITY_EVENTS 16

// Of a thread that the recording's state tells (trace/events/state.def).
enum told_state { TOLD_RUNS, TOLD_PARKED, TOLD_READY, TOLD_ENDED, TOLD_ASKS };

struct activity_machine {
    struct event_fields events[ACTIVITY_EVENTS];
    struct activity_thread *threads; // by id
    size_t count, capacity;
    struct activity_interval cpus[ORRERY_MAX_CPUS]; // what lasts; `to` is not valid
    u64 enabled;                                    // majors, as the recording's state tells
    u32 told;                                       // mask of CPUs
    // Who left each CPU, if that was the last event there: the fast path of calls switches first.
    u64 handed_by[ORRERY_MAX_CPUS];
    u64 doer; // who did what the last event tells, also if it had left its CPU by then
    int (*interval)(void *context, const struct activity_interval *interval);
    void *context;
};

// The CPUs of which the trace has something; of others nothing is said.
u32 activity_cpus(const struct engine *engine);
// descriptions: of the engine. cpus: a mask, of those that the trace tells of. from: where the
// visit begins.
void activity_begin(struct activity_machine *machine, const struct descriptions *descriptions,
                    u32 cpus, u64 from);
struct visitor activity_visitor(struct activity_machine *machine);
// Tells what lasts until `to`, unless there was enough. Frees all.
int activity_end(struct activity_machine *machine, u64 to);

#endif
