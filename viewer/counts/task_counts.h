// SPDX-License-Identifier: MIT
// Counts of processes or threads, CPU by CPU, as read at one moment: ordered, added up,
// taken apart into intervals.
#ifndef KOV_TASK_COUNTS_H
#define KOV_TASK_COUNTS_H

#include "counts/counts.h"
#include "tools/pid_list.h"

#define TASKS_MAX 16384

// As the protocol numbers them.
enum task_flags { TASK_ENDED = 1, TASK_IDLE = 2, TASK_OTHERS = 4 };

struct task {
    u32 cpu;    // ALL_CPUS in a sum
    u32 pid;    // 0: the kernel, working for nobody
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

// Empties it, for so many items.
void task_reading_begin(struct task_reading *reading, u32 items);
void task_reading_free(struct task_reading *reading);
// A task with zeroed counts at the end; NULL: there are too many.
struct task *task_reading_add(struct task_reading *reading);
// Orders them by CPU, process, thread; tasks that are the same become one.
// Needed before the next ones.
void task_reading_order(struct task_reading *reading);

// What the tasks counted from one reading to the next. `between` is emptied first.
void task_reading_between(const struct task_reading *before, const struct task_reading *after,
                          struct task_reading *between);
// Tasks of these processes only; none named: all.
void task_reading_keep(struct task_reading *reading, const struct pid_list *pids);
// In place of each CPU's counts, what the tasks counted there.
void task_reading_sum(const struct task_reading *tasks, struct count_reading *sums);

// For tables: without tasks that counted nothing, each one's CPUs added up unless per_cpu, the most
// of the first event first; "others" last.
void task_reading_arrange(struct task_reading *reading, bool per_cpu);

#define TASK_NAME_BYTES 80
// "shell:7", "shell:7/12" of a thread, "kernel", "idle", "others";
// " (ended)" behind what is there no more.
const char *task_name(const struct task *task, char name[TASK_NAME_BYTES]);

#endif
