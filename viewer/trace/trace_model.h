// SPDX-License-Identifier: MIT
// One model of what a trace tells, for every tool that answers from it. Who runs on each CPU, in
// what, and for which call is activity.h's; this adds of which process each thread is, how long it
// has run, and how it left its CPU. What events have not told, or what was lost, is unknown.
// Memory: by the number of threads.
#ifndef KOV_TRACE_MODEL_H
#define KOV_TRACE_MODEL_H

#include "trace/activity.h"

// How a thread left its CPU. A switch says why, or else the activity that it ended.
enum model_left { LEFT_READY, LEFT_ASLEEP, LEFT_UNCLEAR };

struct model_thread {
    struct id_row row; // its id
    u64 pid;
    bool known; // its process
    bool told;  // that it is there; if no process was, it may be the kernel's
    enum model_left left;
    u64 ran; // ticks on CPUs before it began to run where it runs now
};

struct trace_model {
    struct activity_machine machine;
    struct activity_interval before; // of the last event's CPU: its state until the event
    u64 since[ORRERY_MAX_CPUS];      // when the thread that runs there began to
    struct id_rows threads;          // struct model_thread
    bool any_loss;                   // of the kernel's events so far
    // Gets losses after the model: those of the trace; and all CPUs' when a major is turned off.
    // NULL: not wanted.
    int (*loss)(void *context, const struct trace_loss *loss);
    void *context;
    u64 end; // of the time that is looked at
};

// Begins. The caller has set machine.interval and machine.context, loss, context and end. It ends
// with activity_stop. As to the engine: see activity_begin.
void trace_model_begin(struct trace_model *model, struct engine *engine, u64 from);
// Take an event, or a loss, before anybody else does. Return an exit code, or VISIT_ENOUGH.
int trace_model_event(struct trace_model *model, const struct trace_event *event);
int trace_model_loss(struct trace_model *model, const struct trace_loss *loss);

// Returns the thread that runs on a CPU. ACTIVITY_NO_THREAD: not known.
static inline u64 trace_model_runs(const struct trace_model *model, u32 cpu)
{
    return model->machine.cpus[cpu].thread;
}
// Returns a thread until the next event; NULL: nothing has told of it.
const struct model_thread *trace_model_thread(const struct trace_model *model, u64 thread);
// Returns the process of a thread, as far as it is known by now. 0: the kernel; ACTIVITY_NO_PID:
// not known.
u64 trace_model_pid(const struct trace_model *model, u64 thread);
// Returns how a thread left its CPU last; LEFT_READY: nothing has told.
enum model_left trace_model_left(const struct trace_model *model, u64 thread);
// Returns how many ticks a thread was on CPUs until `time`, while that was known.
u64 trace_model_ran(const struct trace_model *model, u64 thread, u64 time);
// Begins anew with the processes that another model has learnt, and takes them from it.
void trace_model_keep(struct trace_model *model, struct trace_model *from);
void trace_model_free(struct trace_model *model);

#endif
