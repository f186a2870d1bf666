// SPDX-License-Identifier: MIT
// What a process does while its memory fails.
#ifndef TEST_FAIL_MEMORY_OPERATIONS_H
#define TEST_FAIL_MEMORY_OPERATIONS_H

#include <orrery/types.h>

struct operation {
    const char *name;
    s64 (*run)(void);   // leaves nothing behind, whatever it returns: 0 or an error
    const char *server; // whose memory fails, NULL: the process's own
};
extern const struct operation operations[];
extern const u32 operation_count;

extern const struct operation watching[]; // what needs RIGHT_MONITOR
extern const u32 watching_count;

extern const struct operation serving[]; // what servers do for a process
extern const u32 serving_count;

// Returns 0 if it is done, else an error for errno. E_TIMEOUT: nobody has answered.
s64 unless(bool done);
// Operations that servers have a part in.
s64 use_a_file(void);
s64 use_a_stream(void);

#endif
