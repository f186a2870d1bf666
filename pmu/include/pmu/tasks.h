// SPDX-License-Identifier: MIT
// Counts each task on one CPU, in a table made beforehand, since nothing can be allocated at a
// switch. Tasks that do not fit become one, "others". Within a slice a task only adds up. When the
// slice ends, each task that has run in it has a slice of its own. So the sums of all tasks are
// those of the CPU, slice by slice.
// The owner of a table serialises all functions on it; any context but PMI, except where noted.
#ifndef PMU_TASKS_H
#define PMU_TASKS_H

#include <orrery/pmu.h>
#include <pmu/multiplex.h>
#include <pmu/task.h>

#define TASKS_MAX 512
#define TASKS_BYTES 0x100000UL // of one table at most: many items leave fewer tasks
#define TASK_SLOTS 1024        // of the hash table

struct counted_task {
    u32 pid, thread; // as in struct sys_pmu_task
    u32 flags;
    bool active; // has run in this slice, so it is in the list
    char name[sizeof(((struct sys_pmu_task *)0)->name)];
    struct counted_task *next_active;
    u64 counts[PMU_COUNTERS]; // in this slice
    // struct pmu_multiplex follows
};

struct task_table {
    u64 task_bytes;
    u32 items;
    u32 count, room;
    // The tasks that have run in slices that have ended. The others have counted nothing yet, and
    // come behind them.
    u32 counted;
    bool by_thread;
    struct counted_task *current, *active;
    u64 mark[PMU_COUNTERS]; // counters' values at the last addition
    u16 slots[TASK_SLOTS];  // index of a task + 1, 0: free
    char memory[] __attribute__((aligned(16)));
};

// Makes a table for this many items, without a task. by_thread: each thread is a task; else each
// process, all of the kernel's threads, and idle threads are. Returns NULL if out of memory. Thread
// context.
struct task_table *task_table_create(u32 items, bool by_thread);
void task_table_free(struct task_table *table);

// Begins a session, with this task running and these values of the counters.
void task_table_begin(struct task_table *table, const struct pmu_task *who,
                      const u64 values[PMU_COUNTERS]);
// Charges the running task, and lets who continue.
void task_table_switch(struct task_table *table, const struct pmu_task *who,
                       const u64 values[PMU_COUNTERS]);
// Ends a slice of this group with these values; slice_counter counts its time.
void task_table_slice(struct task_table *table, const struct pmu_group *group, u32 slice_counter,
                      const u64 values[PMU_COUNTERS]);
// Begins the next slice. Counts since the last slice belong to no task.
void task_table_go_on(struct task_table *table, const u64 values[PMU_COUNTERS]);

// index: below table->count.
const struct counted_task *task_table_get(const struct task_table *table, u32 index);
const struct pmu_multiplex *counted_task_sums(const struct counted_task *task);

#endif
