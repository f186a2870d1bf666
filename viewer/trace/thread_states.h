// SPDX-License-Identifier: MIT
// Tells from the kernel's events what each thread does: it runs, waits for a CPU, is blocked and
// for what, or nobody knows. A state is told when it has ended, since often only what comes next
// tells what it was. Memory: by the number of threads.
#ifndef KOV_THREAD_STATES_H
#define KOV_THREAD_STATES_H

#include "trace/activity.h"

enum thread_time { THREAD_RUN, THREAD_READY, THREAD_BLOCKED, THREAD_UNKNOWN, THREAD_TIMES };

// Why a thread's state is unknown.
enum thread_why {
    THREAD_UNTOLD,       // no event has told yet
    THREAD_UNCLEAR,      // it was off its CPU, and nothing tells whether it was blocked or ready
    THREAD_LOST,         // events are missing that may have told
    THREAD_NOT_RECORDED, // from here on the majors that would tell are off
    THREAD_END,          // the stream that would tell ends before
    THREAD_WHYS
};

// A time in which a thread's state does not change.
struct thread_interval {
    u64 thread, from, to;
    enum thread_time on;
    u32 cpu;    // of the thread: where it runs, or ran last, or is to run
    bool idle;  // the thread is a CPU's idle thread
    u64 reason; // why it left its CPU, if it is off (trace/reasons.h); REASON_UNKNOWN: not told
    bool waits; // all of the interval is a wait for that reason
    // READY: who woke it and for what (trace/reasons.h); woken_for REASON_UNKNOWN: not told, or it
    // was not woken. woken_by 0: an interrupt.
    u64 woken_by, woken_for;
    enum thread_why why; // THREAD_UNKNOWN
    u32 track;           // of struct thread_status
    // THREAD_RUN, if runs are divided: what the CPU did, as in struct activity_interval.
    enum activity activity;
    u64 detail;
};

// A thread begins to run.
struct thread_turn {
    u64 thread, by; // by: as woken_by, or who handed it the CPU
    u64 reason;     // for what it was woken; REASON_UNKNOWN: not told
    u64 since;      // when it was woken; 0: a call or a reply handed it the CPU
    u64 time;
};

enum thread_state { STATE_UNKNOWN, STATE_RUNS, STATE_OFF, STATE_ENDED };

struct thread_status {
    struct id_row row; // its id
    u32 track;         // how many threads were told before
    u32 cpu;
    bool idle, exits;
    enum thread_state state;
    u64 since;
    bool preempted;      // STATE_OFF: it was ready from the beginning
    bool parked;         // STATE_OFF: the recording's state said so
    bool unclear;        // STATE_OFF: nobody knows whether it was ready in the beginning
    enum thread_why why; // STATE_UNKNOWN
    u64 woken;           // STATE_OFF: when it was woken, or 0
    u64 reason;          // STATE_OFF: why it left; REASON_UNKNOWN: not told
    u64 woken_by, woken_for;
};

struct thread_states {
    struct id_rows threads;       // struct thread_status, in the order of tracks
    u64 begin;                    // where the visit begins
    u64 idle_at[ORRERY_MAX_CPUS]; // when it last had nothing to do
    u64 lost_until;               // on any CPU: until then a wake-up may be missing
    bool divides_runs;            // by what the CPU does meanwhile (thread_states_activity)
    // Gets the intervals of each thread end to end. NULL: not wanted.
    void (*ended)(void *context, const struct thread_interval *interval);
    void (*turn)(void *context, const struct thread_turn *turn);
    void *context;
};

// Begins with nothing known. The caller has set what gets the intervals.
void thread_states_begin(struct thread_states *states, u64 begin);
// Takes an event. before: what its CPU did until then.
void thread_states_event(struct thread_states *states, const struct trace_event *event,
                         const struct activity_interval *before);
// Takes a loss, of any stream. is_off: nothing is lost, but the majors are off from then on.
void thread_states_loss(struct thread_states *states, const struct trace_loss *loss, bool is_off);
// Takes what a CPU did, when that has ended, before the event that ended it. Only if runs are
// divided.
void thread_states_activity(struct thread_states *states, const struct activity_machine *machine,
                            const struct activity_interval *interval);
// Tells what lasts until `end`, where the trace ends. The machine tells how far streams reach.
void thread_states_end(struct thread_states *states, const struct activity_machine *machine,
                       u64 end);
// Tells what seems to last until `to`, in the midst of a trace. What happens later may show that it
// was something else. So `known` sets on, from and why of what a thread is known to have done at
// the time `to`; false: nobody has found out.
void thread_states_stop(struct thread_states *states, u64 to,
                        bool (*known)(void *context, const struct thread_status *thread,
                                      struct thread_interval *interval));
// Copies what is known now, for the same who get intervals. Free the copy.
void thread_states_copy(struct thread_states *to, const struct thread_states *from);
size_t thread_states_bytes(const struct thread_states *states);
void thread_states_free(struct thread_states *states);

#endif
