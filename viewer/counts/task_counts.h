// SPDX-License-Identifier: MIT
// Counts of processes or threads, CPU by CPU, read at one moment. Orders them, adds them up, and
// divides them into intervals.
#ifndef KOV_TASK_COUNTS_H
#define KOV_TASK_COUNTS_H

#include "counts/counts.h"
#include "tools/pid_list.h"

#define TASKS_MAX 16384

// The protocol's numbers.
enum task_flags { TASK_ENDED = 1, TASK_IDLE = 2, TASK_OTHERS = 4 };

struct task {
    u32 cpu;    // ALL_CPUS in a sum
    u32 pid;    // 0: the kernel, working for no process
    u32 thread; // 0: all of the process
    u32 flags;  // enum task_flags
    char name[32];
    struct count counts[COUNT_ITEMS_MAX];
};

struct task_reading {
    struct task *tasks;
    size_t count, capacity;
    u32 items;
};

// Empties the reading, for so many items.
void task_reading_begin(struct task_reading *reading, u32 items);
void task_reading_free(struct task_reading *reading);
// Adds a task with zeroed counts at the end. Returns NULL if there are too many.
struct task *task_reading_add(struct task_reading *reading);
// Sorts the tasks by CPU, process, thread, and joins those that are the same. The functions below
// need that.
void task_reading_order(struct task_reading *reading);

// Computes what the tasks counted from one reading to the next. It first empties `between`.
void task_reading_between(const struct task_reading *before, const struct task_reading *after,
                          struct task_reading *between);
// Keeps only the tasks of these processes. An empty list keeps all.
void task_reading_keep(struct task_reading *reading, const struct pid_list *pids);
// Replaces each CPU's counts by what the tasks counted there.
void task_reading_sum(const struct task_reading *tasks, struct count_reading *sums);

// Arranges the tasks for tables. Leaves out tasks that counted nothing. Unless per_cpu, adds up
// each one's CPUs. The most of the first event come first, "others" last.
void task_reading_arrange(struct task_reading *reading, bool per_cpu);

#define TASK_NAME_BYTES 80
// Writes and returns "shell:7", "shell:7/12" for a thread, "kernel", "idle", or "others". "
// (ended)" follows if the task has ended.
const char *task_name(const struct task *task, char name[TASK_NAME_BYTES]);

#endif
