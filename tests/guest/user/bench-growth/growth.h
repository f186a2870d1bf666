// SPDX-License-Identifier: MIT
// Things of which there may be many, and operations whose cost should not grow with their number.
#ifndef BENCH_GROWTH_H
#define BENCH_GROWTH_H

#include <orrery/types.h>

#define OPERATIONS_MAX 5

struct operation {
    const char *name;
    s64 (*run)(u32 count); // once, while there are so many; 0 or an error
    bool each;             // it goes through all of them: the cost is that for one
};

struct things {
    u32 most; // that limits and memory permit
    s64 (*add)(u32 index);
    s64 (*begin)(u32 count); // once there are so many, before the operations; or NULL
    void (*remove_all)(u32 count);
    struct operation operations[OPERATIONS_MAX];
};

// Measures all operations with 10, 100, … of the things, and with the most. False: something
// failed, which it says.
bool measure_growth(const struct things *things);

// 0, or E_IO for a call that has set errno.
s64 failed_unless(bool done);

bool growth_in_kernel(void);
bool growth_of_processes(void);
bool growth_of_files(void);

// What a child does: makes processes that are never started, and ends.
int leave_children(void);
// Another: opens a file so many times, names "made" when it is done, and sleeps.
int hold_files(const char *count, const char *made);

#endif
