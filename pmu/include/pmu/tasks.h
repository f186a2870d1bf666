// SPDX-License-Identifier: MIT
// What each task has counted on one CPU: a table made beforehand, since nothing can be allocated at
// a switch. Tasks that find no place in it are one, "others". Within a slice a task only adds up;
// when the slice ends, each that has run in it has had a slice of its own. So the sums of all tasks
// are those of the CPU, slice by slice.
// All functions on one table are serialised by its owner; any context but PMI,
// except where said otherwise.
#ifndef PMU_TASKS_H
#define PMU_TASKS_H

#include <orrery/pmu.h>
#include <pmu/multiplex.h>
#include <pmu/task.h>

#define TASKS_MAX 512
#define TASKS_BYTES 0x100000UL // of one table at most: fewer tasks where there are many items
#define TASK_SLOTS 1024        // of the hash table

struct counted_task {
    u32 pid, thread; // as in struct sys_pmu_task
    u32 flags;
    bool active; // has run in this slice: is in the list
    char name[sizeof(((struct sys_pmu_task *)0)->name)];
    struct counted_task *next_active;
    u64 counts[PMU_COUNTERS]; // in this slice
    // struct pmu_multiplex follows
};

struct task_table {
    u64 task_bytes;
    u32 items;
    u32 count, room;
    // of them: have run in slices that have ended; the others have counted nothing yet, and come
    // behind
    u32 counted;
    bool by_thread;
    struct counted_task *current, *active;
    u64 mark[PMU_COUNTERS]; // values up to which everything has been added up
    u16 slots[TASK_SLOTS];  // index of a task + 1, 0: free
    char memory[] __attribute__((aligned(16)));
};

// For sums of so many items, without a task. by_thread: each thread is one, else each process, all
// of the kernel's threads, and idle threads. NULL: out of memory. Thread context.
struct task_table *task_table_create(u32 items, bool by_thread);
void task_table_free(struct task_table *table);

// who runs, and counters have these values, when a session begins.
void task_table_begin(struct task_table *table, const struct pmu_task *who,
                      const u64 values[PMU_COUNTERS]);
// who goes on in place of the one before.
void task_table_switch(struct task_table *table, const struct pmu_task *who,
                       const u64 values[PMU_COUNTERS]);
// A slice of this group has ended with these values; slice_counter counts its time.
void task_table_slice(struct task_table *table, const struct pmu_group *group, u32 slice_counter,
                      const u64 values[PMU_COUNTERS]);
// The next slice begins: what was counted since the one before is nobody's.
void task_table_go_on(struct task_table *table, const u64 values[PMU_COUNTERS]);

// index: below table->count.
const struct counted_task *task_table_get(const struct task_table *table, u32 index);
const struct pmu_multiplex *counted_task_sums(const struct counted_task *task);

#endif
