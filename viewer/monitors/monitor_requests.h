// SPDX-License-Identifier: MIT
// Requests about monitors of the machine (docs/protocol.md, "Monitors").
#ifndef KOV_MONITOR_REQUESTS_H
#define KOV_MONITOR_REQUESTS_H

#include "output/document.h"
#include "wire/dci.h"

#include <orrery/monitors.h>

// The counts of the ring of one CPU.
struct monitor_counts {
    u64 fired, lost, unread;
    // Ticks that MONITOR_COST_RECORDS records took: of the scheduler, of the fast path of calls.
    u64 cost, cost_fast;
};
#define MONITOR_COST_RECORDS 64

// A process, or one of its threads, to be tracked.
struct monitor_target {
    u32 pid;
    u32 thread; // 0: all
    u32 id;     // the id in its records
};
#define MONITOR_TARGETS_MAX 32

struct monitor_targets {
    struct monitor_target targets[MONITOR_TARGETS_MAX];
    u32 count;
};

// A monitor, as the machine lists it.
struct monitor_info {
    u32 number;
    bool kept, running;
    u64 bytes;
    u32 cpu_count;
    struct monitor_counts cpus[ORRERY_MAX_CPUS];
    struct monitor_targets targets;
};

// Adds the targets of "P[/T],…", each with an id of its own. Returns KOV_OK or KOV_USAGE.
int monitor_targets_parse(const char *text, struct monitor_targets *targets);

// Reads "KIND,…", or all. Sets 1 << kind for each. Returns KOV_OK or KOV_USAGE.
#define MONITOR_KINDS_DEFAULT "switch,wake,thread,sensor"
int monitor_kinds_parse(const char *text, u64 *kinds);

// These return exit codes, with messages.
int monitor_create(bool kept, u64 bytes, u32 *number);
int monitor_track(u32 number, const struct monitor_target *target, u64 kinds);
int monitor_run(u32 number, bool on, u64 *time);
int monitor_stop(u32 number);
typedef int monitor_list_handler(void *context, const struct monitor_info *info);
int monitor_list(monitor_list_handler *handler, void *context);
// Finds a monitor. E_NOENT becomes KOV_FAILED, with a message.
int monitor_find(u32 number, struct monitor_info *info);
// Gives the contents of the rings to the handler: a CPU's records, oldest first, and its counts
// after them.
typedef int monitor_read_handler(void *context, u32 cpu, Orrery__Dci__MonitorRecord *const *records,
                                 size_t count, const struct monitor_counts *counts);
int monitor_read(u32 number, monitor_read_handler *handler, void *context);

#endif
