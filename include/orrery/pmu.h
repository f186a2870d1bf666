// SPDX-License-Identifier: MIT
// Counting of hardware events of either unit. Events that do not fit the counters at once are
// multiplexed (S000 §2.1.2). All calls need RIGHT_MONITOR. docs/pmu.md describes the
// implementation.
#ifndef ORRERY_PMU_H
#define ORRERY_PMU_H

#include <orrery/types.h>

struct sys_pmu_event {
    u32 event;    // its number in requests
    u32 modelled; // 1: counted by a model of a machine; 0: counted exactly
    u64 counters; // mask of the counters that can count it
    char name[24], unit[16];
    char meaning[96];
};
// Gets an event that this machine offers. E_NOENT past the last. Any process may call it.
s64 sys_pmu_event_get(u32 index, struct sys_pmu_event *event);

#define SYS_PMU_ITEMS 64
#define SYS_PMU_SETS 16
#define SYS_PMU_KERNEL 1u // filter: in supervisor state
#define SYS_PMU_USER 2u   // in problem state

struct sys_pmu_item {
    u32 event;
    u32 filter; // SYS_PMU_KERNEL, SYS_PMU_USER, or both
    u32 set;    // index of its set
    u32 reserved;
};

#define SYS_PMU_BY_PROCESS 1u // flags: also counts for each process (sys_pmu_count_tasks)
// Also counts for each kernel thread. A process has one on each CPU.
#define SYS_PMU_BY_THREAD 2u
// Programs may read their own counts (user/pmu.h); all items must fit the counters at once.
#define SYS_PMU_READABLE 4u

// Events of a set are measured at the same time if the counters can; sets share the time. A slice
// has this many slice events:
#define SYS_PMU_SLICE_MIN 10000
#define SYS_PMU_SLICE_MAX 1000000000
#define SYS_PMU_SLICE_DEFAULT 1000000
#define SYS_PMU_SHARE_MAX 1000

struct sys_pmu_counting {
    u32 item_count, set_count; // 1 … SYS_PMU_ITEMS, 1 … SYS_PMU_SETS
    u32 cpu_mask;              // CPUs to count on, 0 = all
    u32 slice_event;           // slices are measured in this event: instructions or cycles
    u32 flags, reserved2;      // SYS_PMU_BY_PROCESS …; 0
    u64 slice;                 // slice events a slice; 0: SYS_PMU_SLICE_DEFAULT
    u32 shares[SYS_PMU_SETS];  // of each set, 1 … SYS_PMU_SHARE_MAX
    struct sys_pmu_item items[SYS_PMU_ITEMS];
};

// Begins to count. Returns a session number > 0. Sessions share the unit: one that does not fit
// beside the others takes turns with them. E_NOTSUP: no unit has the event. E_TIMEOUT: the unit
// does not follow. E_LIMIT: events exclude each other. E_BUSY: they exclude those of other
// sessions, or there are SYS_PMU_SESSIONS already. message (NUL-terminated, cut to bytes) says
// which and why. E_INVAL, E_NOMEM.
#define SYS_PMU_SESSIONS 8
s64 sys_pmu_count_start(const struct sys_pmu_counting *counting, char *message, u64 bytes);

// Sums over the slices in which an item was counted. pmu/multiplex.h has the formulas of the count
// in all of the time, and of how far off it may be. Differences of two readings are sums of what
// came between.
struct sys_pmu_wide {
    u64 high, low;
};
struct sys_pmu_count {
    u64 count;           // while it was counted
    u64 measured, total; // slice events: while it was counted, and in all
    u64 slices;          // in which it was counted
    struct sys_pmu_wide time_squares, count_squares, products; // of each slice's time and count
};
// Copies the counts of one CPU so far, one for each item. Returns bytes. E_STALE: no such session.
// E_INVAL: a CPU that is not counted, or too few bytes. E_LIMIT: a count beyond 2^48.
s64 sys_pmu_count_read(s64 session, u32 cpu, struct sys_pmu_count *counts, u64 bytes);
// Adds a session's counts on a CPU to the kernel's trace, behind each event of these majors (bit n:
// major n). The event "PMU counters" has the values since the start, in the order of the items. The
// event "PMU counter" describes each item. With majors 0, or when the session stops, this ends.
// E_STALE: the session does not run. E_LIMIT: it takes turns, or has more than SYS_PMU_TRACED
// items. E_BUSY: another session is in the trace. E_INVAL: no such majors.
#define SYS_PMU_TRACED 6
s64 sys_pmu_count_trace(s64 session, u64 majors);

#define SYS_PMU_TASK_ENDED 1u // it does not exist any more
#define SYS_PMU_TASK_IDLE 2u  // the CPU's idle thread: the pid is 0
// Everything that came when no place was left, as one task: pid and thread are 0.
#define SYS_PMU_TASK_OTHERS 4u

struct sys_pmu_task {
    u32 pid;          // 0: threads of the kernel's own
    u32 thread;       // kernel thread's id; 0: all threads of pid together (no SYS_PMU_BY_THREAD)
    u32 record_bytes; // of this record, counts included
    u32 flags;        // SYS_PMU_TASK_…
    char name[32];    // NUL-terminated
    struct sys_pmu_count counts[]; // one for each item; total is the time in which the task ran
};
// Copies the counts of the tasks that have run on one CPU, as many as fit. *cursor 0 begins, and
// all counts are as of that call. Returns bytes, 0 when there are no more. If an item is counted
// all the time, the counts of all tasks add up to the count of sys_pmu_count_read at that moment. A
// task's count includes its switches and the interrupts that stop it. E_STALE. E_INVAL: a CPU or a
// session without such counts, or too few bytes for one record. E_LIMIT as above. E_NOMEM.
s64 sys_pmu_count_tasks(s64 session, u32 cpu, u64 *cursor, void *buffer, u64 bytes);
// Prepares user/pmu.h to read the counters of a session with SYS_PMU_READABLE. Returns a capability
// for the unit's page (orrery/pmu_model.h), which can be mapped read-only. Stores in counters[i]
// which counter counts item i. E_STALE: the session does not run. E_INVAL: it is not readable.
// E_NOMEM, E_LIMIT.
s64 sys_pmu_count_open(s64 session, u8 counters[SYS_PMU_ITEMS]);
// Excludes a process, and the kernel on its behalf, from all counts and samples of the model unit,
// until undone or until the process ends. Sessions and the process may be running. E_INVAL: pid 0.
// E_NOENT, E_NOTSUP.
s64 sys_pmu_exclude(u32 pid, bool excluded);
// Stops a session. Its counts stay readable until the process ends or another session needs the
// place. E_STALE: the session does not run.
s64 sys_pmu_count_stop(s64 session);

#endif
