// SPDX-License-Identifier: MIT
// What a process does while its memory fails.
#ifndef TEST_FAIL_MEMORY_OPERATIONS_H
#define TEST_FAIL_MEMORY_OPERATIONS_H

#include <orrery/types.h>

struct operation {
    const char *name;
    s64 (*run)(void); // leaves nothing behind, whatever it returns: 0 or an error
};
extern const struct operation operations[];
extern const u32 operation_count;

extern const struct operation watching[]; // what needs RIGHT_MONITOR
extern const u32 watching_count;

#endif
