// SPDX-License-Identifier: MIT
// Times of a recording less what recording took (S003 §5.2): each time less the cost of the earlier
// records of its CPU. A record that was lost cost next to nothing, and counts as nothing.
//
// With several CPUs each has saved another time, and what one does may have its cause on another.
// Where a record tells so, its CPU forgoes so much of what it has saved that the effect does not
// come before its cause:
// - A wake-up from another CPU; nobody says which. It comes where that CPU has it that saved least.
// - A thread of a library that comes to another CPU does not do so before its last record.
// All other causes are unknown, so that times are approximate.
#ifndef KOV_MONITOR_COMPENSATION_H
#define KOV_MONITOR_COMPENSATION_H

#include "tools/keyed_rows.h"
#include "tools/memory.h"
#include "trace/engine/event_fields.h"

#include <orrery/monitors.h>

struct compensated_cpu {
    // Ticks that so many records take, of the scheduler and of the fast path of calls; of 0: not
    // known.
    u64 cost, cost_fast, of;
    u64 records, fast;   // so far; those of the fast path
    u64 forgone;         // ticks of what they cost that are not taken off
    u64 last;            // compensated time: none comes before it
    struct bytes before; // struct compensated_point of each record, if there are several CPUs
};

struct monitor_compensation {
    struct event_fields cost, kinds[SYS_MONITOR_KINDS_MAX];
    struct compensated_cpu cpus[ORRERY_MAX_CPUS];
    u32 cpu_count;           // of the recording
    struct keyed_rows users; // threads of libraries: when and where their last record was
    u64 end;                 // compensated: of the recording
};

// All zero at first; monitor_compensation_free in any case. Goes through the recording once, for
// its end. KOV_FAILED, with a message, where it does not tell what records cost. Memory: of each
// record two words, if there are several CPUs.
int monitor_compensation_begin(struct monitor_compensation *compensation, struct engine *engine);
// Moves the time of the next event of the recording, and for a wake-up how long ago it was.
void monitor_compensation_take(struct monitor_compensation *compensation, struct trace_event *event,
                               u64 *ago);
// Ticks that the records so far took.
u64 monitor_compensation_cost(const struct compensated_cpu *cpu);
// A time on a CPU behind the events that were taken, compensated.
u64 monitor_compensation_time(const struct monitor_compensation *compensation, u32 cpu, u64 time);
void monitor_compensation_free(struct monitor_compensation *compensation);

#endif
