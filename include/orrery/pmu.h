// SPDX-License-Identifier: MIT
// Counting hardware events, of either unit, multiplexed where they do not fit the counters at once
// (seed: KOV §2.1.2).
// RIGHT_MONITOR. What stands behind is docs/pmu.md.
#ifndef ORRERY_PMU_H
#define ORRERY_PMU_H

#include <orrery/types.h>

struct sys_pmu_event {
    u32 event;    // its number in requests
    u32 modelled; // 1: by a model of what a machine does; 0: counted exactly
    u64 counters; // which of the counters can count it
    char name[24], unit[16];
    char meaning[96];
};
// The events that this machine offers. E_NOENT past the last. Any process.
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

#define SYS_PMU_BY_PROCESS 1u // flags: counts of each process too (sys_pmu_count_tasks)
// And of each thread of the kernel's, which a process has one of on each CPU.
#define SYS_PMU_BY_THREAD 2u
// Programs may read their own counts (user/pmu.h); all items must fit the counters at once.
#define SYS_PMU_READABLE 4u

// Events of a set are measured at the same time if the counters can; sets share the time.
// How long slices can be, in the slice event.
#define SYS_PMU_SLICE_MIN 10000
#define SYS_PMU_SLICE_MAX 1000000000
#define SYS_PMU_SLICE_DEFAULT 1000000
#define SYS_PMU_SHARE_MAX 1000

struct sys_pmu_counting {
    u32 item_count, set_count; // 1 … SYS_PMU_ITEMS, 1 … SYS_PMU_SETS
    u32 cpu_mask;              // CPUs to count on, 0 = all
    u32 slice_event;           // what slices are measured in: instructions or cycles
    u32 flags, reserved2;      // SYS_PMU_BY_PROCESS …; 0
    u64 slice;                 // of these; 0: SYS_PMU_SLICE_DEFAULT
    u32 shares[SYS_PMU_SETS];  // of each set, 1 … SYS_PMU_SHARE_MAX
    struct sys_pmu_item items[SYS_PMU_ITEMS];
};

// Begins to count: a session number > 0. Sessions share the unit; who does not fit beside the
// others takes turns with them. E_NOTSUP (no unit has the event), E_INVAL, E_NOMEM, E_TIMEOUT (the
// unit does not follow); E_LIMIT: events exclude each other, E_BUSY: they and those of others do,
// or there are SYS_PMU_SESSIONS; message (NUL-terminated, cut to bytes) says which and why.
#define SYS_PMU_SESSIONS 8
s64 sys_pmu_count_start(const struct sys_pmu_counting *counting, char *message, u64 bytes);

struct sys_pmu_count {
    u64 count;           // scaled to all of the time
    u64 measured, total; // of the slice event: while it was counted, and in all
    // half width of the 99 % interval around count; 0: all of the time was measured; UINT64_MAX:
    // unknown (fewer than two slices)
    u64 error;
    u64 slices; // in which it was counted
};
// The counts of one CPU so far, one for each item: bytes. E_STALE: no such session; E_INVAL:
// a CPU that is not counted, or too few bytes; E_LIMIT: a count beyond 2^48.
s64 sys_pmu_count_read(s64 session, u32 cpu, struct sys_pmu_count *counts, u64 bytes);
// Puts what a session counts on a CPU into the kernel's trace, behind each event of these majors
// (bit n: major n): an event PMU counters with the values since the start, in the order of the
// items; PMU counter tells what each is. 0: not any more; a session that stops does the same.
// E_STALE: it does not run; E_LIMIT: it takes turns, or has more than SYS_PMU_TRACED items;
// E_BUSY: another session is in the trace; E_INVAL: no such majors.
#define SYS_PMU_TRACED 6
s64 sys_pmu_count_trace(s64 session, u64 majors);

#define SYS_PMU_TASK_ENDED 1u // it does not exist any more
#define SYS_PMU_TASK_IDLE 2u  // the CPU's idle thread: the pid is 0
// All those together that came when there was no place left: pid and thread are 0.
#define SYS_PMU_TASK_OTHERS 4u

struct sys_pmu_task {
    u32 pid;    // 0: threads of the kernel's own
    u32 thread; // id of the kernel's thread; 0: all threads of pid together (no SYS_PMU_BY_THREAD)
    u32 record_bytes;              // of this record, counts included
    u32 flags;                     // SYS_PMU_TASK_…
    char name[32];                 // NUL-terminated
    struct sys_pmu_count counts[]; // one for each item; total is the time in which the task ran
};
// Counts of the tasks that have run on one CPU, as of the call with *cursor 0, which begins;
// several at once, as many as fit: bytes, 0 when there are no more. Of an item that is counted all
// the time the counts of all tasks add up to what sys_pmu_count_read says of that CPU at the same
// moment. What a task's switches cost, and interrupts, belongs to the task that they stop. E_STALE,
// E_INVAL: a CPU or a session without such counts, or too few bytes for one record; E_LIMIT as
// above; E_NOMEM.
s64 sys_pmu_count_tasks(s64 session, u32 cpu, u64 *cursor, void *buffer, u64 bytes);
// For user/pmu.h, in a session with SYS_PMU_READABLE: a capability for the unit's page
// (orrery/pmu_model.h), which can be mapped, but not be written; counters[i]: which counter counts
// item i. E_STALE: it does not run; E_INVAL: not such a session; E_NOMEM, E_LIMIT.
s64 sys_pmu_count_open(s64 session, u8 counters[SYS_PMU_ITEMS]);
// Leaves a process out of everything that the model unit counts and samples, what the kernel does
// on its behalf included, until undone, or until the process ends. Sessions may run, the process
// too. E_INVAL: pid 0; E_NOENT;
// E_NOTSUP.
s64 sys_pmu_exclude(u32 pid, bool excluded);
// The counts of a process's latest session stay readable until its end, or until others need the
// place. E_STALE: it does not run.
s64 sys_pmu_count_stop(s64 session);

#endif
