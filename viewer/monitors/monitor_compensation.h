// SPDX-License-Identifier: MIT
// Takes from the times of a recording what recording cost (S003 §5.2). Each time loses the cost of
// the earlier records of its CPU. A lost record cost next to nothing, and counts as nothing.
//
// With several CPUs, each one has saved a different time, and what one does may be caused by
// another. If a record tells so, its CPU gives back so much of what it has saved that the effect
// does not come before its cause:
// - A wake-up from another CPU, which is not known. It comes when the CPU that saved least has it.
// - A thread of a library that moves to another CPU. It does not come before its last record.
// All other causes are unknown, so times are approximate.
#ifndef KOV_MONITOR_COMPENSATION_H
#define KOV_MONITOR_COMPENSATION_H

#include "tools/keyed_rows.h"
#include "tools/memory.h"
#include "trace/engine.h"

#include <orrery/monitors.h>

// Returns the kind of a record (SYS_MONITOR_SWITCH …); SYS_MONITOR_KINDS_MAX: it is none.
static inline u32 monitor_kind(const struct trace_event *event)
{
    bool is_record = event->kind >= EVENT_MONITOR_SWITCH && event->kind <= EVENT_MONITOR_SENSOR;
    return is_record ? (u32)(event->kind - EVENT_MONITOR_SWITCH) : SYS_MONITOR_KINDS_MAX;
}

struct compensated_cpu {
    // Ticks that `of` records take: of the scheduler, of the fast path of calls. of 0: not known.
    u64 cost, cost_fast, of;
    u64 records, fast;   // so far: all records; those of the fast path
    u64 forgone;         // ticks of the records' cost that it gave back
    u64 last;            // compensated time; no later one is smaller
    struct bytes before; // struct compensated_point of each record, if there are several CPUs
};

struct monitor_compensation {
    struct compensated_cpu cpus[ORRERY_MAX_CPUS];
    u32 cpu_count;           // in the recording
    struct keyed_rows users; // threads of libraries: when and where each had its last record
    u64 end;                 // of the recording, compensated
};

// Begins. All is zero at first; the caller calls monitor_compensation_free in any case. It goes
// through the recording once to find its end. Returns KOV_FAILED with a message if the recording
// does not tell what records cost. Memory: two words for each record, if there are several CPUs.
int monitor_compensation_begin(struct monitor_compensation *compensation, struct engine *engine);
// Compensates the time of the next event of the recording. For a wake-up it also compensates how
// long ago it was.
void monitor_compensation_take(struct monitor_compensation *compensation, struct trace_event *event,
                               u64 *ago);
// Returns the ticks that the records so far took.
u64 monitor_compensation_cost(const struct compensated_cpu *cpu);
// Returns the compensated time on a CPU. `time` comes after the events that were taken.
u64 monitor_compensation_time(const struct monitor_compensation *compensation, u32 cpu, u64 time);
void monitor_compensation_free(struct monitor_compensation *compensation);

#endif
