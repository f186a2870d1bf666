// SPDX-License-Identifier: MIT
// The process that does an operation while memory fails.
#ifndef TEST_FAIL_MEMORY_CHILD_H
#define TEST_FAIL_MEMORY_CHILD_H

#include <orrery/types.h>

#define VECTOR_DATA_STORAGE 0x300

// How it ends.
enum outcome { WORKED, REFUSED, NOT_AGAIN, NOT_SWITCHED, HUNG, CRASHED, OUT_OF_MEMORY, OUTCOMES };

struct attempt {
    u64 nth;      // the allocation that fails, 0: none does
    u32 runs;     // of the operation, one after the other
    s64 heap_max; // blocks of malloc that a server may keep without having lost any
    bool patient; // waits long until it keeps no more
};

// Runs the operation of that name in a new process of this program; returns its status: an outcome,
// or as the kernel has ended it.
s32 child_run(const char *name, const struct attempt *attempt);
// In that process, from its arguments on. Returns the outcome.
int child_main(char **argv);

#endif
