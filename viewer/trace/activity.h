// SPDX-License-Identifier: MIT
// Tells from the kernel's events what each CPU does: which thread runs, of which process, and
// whether it is in a system call, a fault or an interrupt. It is a visitor of the engine. If the
// events do not tell, or are missing, the activity is unknown: it never guesses. Memory: by the
// number of threads.
#ifndef KOV_ACTIVITY_H
#define KOV_ACTIVITY_H

#include "tools/id_rows.h"
#include "trace/engine.h"

enum activity {
    ACTIVITY_UNKNOWN,
    ACTIVITY_IDLE,
    ACTIVITY_RUN,       // the thread's own code
    ACTIVITY_SYSCALL,   // detail: its number
    ACTIVITY_IPC,       // the kernel, for a call, a reply, or other events of IPC
    ACTIVITY_FAULT,     // detail: the vector
    ACTIVITY_INTERRUPT, // external, the decrementer, or from another CPU
    ACTIVITIES
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

// How a CPU goes from thread to thread for a call or a reply. The fast path switches, then tells;
// else it is told first.
struct activity_handover {
    // Of a switch that nothing has told before, if it was the last of the CPU's events that tell of
    // threads; else by is ACTIVITY_NO_THREAD.
    u64 by, reason;
    u64 call;   // told: its server gets the CPU with the next switch; 0: none
    u64 server; // of the call: a process
};

struct activity_thread;
#define ACTIVITY_LEFT_OUT_MAX 64

// A thread's state in the recording's state (trace/events/state.def).
enum reported_state {
    REPORTED_RUNS,
    REPORTED_PARKED,
    REPORTED_READY,
    REPORTED_ENDED,
    REPORTED_ASKS
};

struct activity_machine {
    struct id_rows threads; // struct activity_thread
    // By CPU: what the thread does that runs there while nobody knows which one it is.
    struct activity_thread *unnamed;
    struct activity_interval cpus[ORRERY_MAX_CPUS]; // what goes on now; `to` is not valid
    struct recorded *recorded;                      // the engine's
    u64 enabled;                                    // majors that are recorded now
    bool beginning;                                 // the trace has not yet told what it records
    u64 begun;                                      // when it should have
    u64 switches, needed[ACTIVITIES]; // majors without which threads, and activities, are unknown
    u64 exits, irq_exits;             // majors that tell ends of exceptions and of interrupts
    // Processes of which the recording has switches and calls alone: what they do is unknown.
    u64 left_out[ACTIVITY_LEFT_OUT_MAX];
    u32 left_out_count;
    u32 told;                   // mask of CPUs
    u64 known[ORRERY_MAX_CPUS]; // until when their streams tell
    struct activity_handover handovers[ORRERY_MAX_CPUS];
    u64 doer;  // who did what the last event tells, even if it had left its CPU by then
    u64 given; // the call that it gave, with the CPU, to the thread that runs there now; 0: none
    int (*interval)(void *context, const struct activity_interval *interval);
    void *context;
};

// Begins. The engine knows what was recorded (recorded_read). `from` is where the visit begins. The
// machine tells of the CPUs that the trace had; of one whose stream is missing, or from its end on,
// that they are unknown. Looks first for whom the recording leaves out, so the caller must seek the
// engine afterwards.
void activity_begin(struct activity_machine *machine, struct engine *engine, u64 from);
struct visitor activity_visitor(struct activity_machine *machine);
// Returns whether the recording has left out a process, as far as it has told by now.
bool activity_leaves_out(const struct activity_machine *machine, u64 pid);
// Returns whether a thread is a CPU's idle thread, as far as events have told.
bool activity_is_idle(const struct activity_machine *machine, u64 thread);
// Returns where a thread runs, or ran last, even if it has ended. UINT32_MAX: nothing has told.
u32 activity_cpu(const struct activity_machine *machine, u64 thread);
// Returns the process of a thread. ACTIVITY_NO_PID: nothing has told.
u64 activity_pid(const struct activity_machine *machine, u64 thread);
// Returns whether a thread is known to be the kernel's own.
bool activity_is_kernel(const struct activity_machine *machine, u64 thread);
// Return until when a CPU's stream tells what happens on it, and until when all CPUs' do: not
// before `begin`, not behind `end`.
u64 activity_known(const struct activity_machine *machine, u32 cpu, u64 begin, u64 end);
u64 activity_all_known(const struct activity_machine *machine, u64 begin, u64 end);
// Copies what the machine knows now (activity_copy.c). The copy has the same callback. End it with
// activity_end or activity_free. A visit that goes on with the copy begins with the next event.
void activity_copy(struct activity_machine *to, const struct activity_machine *from);
void activity_free(struct activity_machine *machine);
size_t activity_bytes(const struct activity_machine *machine);
// Tells what lasts until `to`, unless a visitor had enough. What is known of threads stays.
int activity_stop(struct activity_machine *machine, u64 to);
// The same, and frees all.
int activity_end(struct activity_machine *machine, u64 to);

#endif
