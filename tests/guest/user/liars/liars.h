// SPDX-License-Identifier: MIT
// Processes that lie to the monitor, each kind in its own way.
#ifndef TESTS_LIARS_H
#define TESTS_LIARS_H

#include <orrery/process.h>
#include <orrery/user.h>

struct kind {
    const char *name;
    void (*begin)(void); // before it answers anything; NULL: nothing
    // An answer to a question, from a process that takes its events itself.
    // NULL: the library answers.
    void (*answer)(const struct event *question);
    const char *process_name; // NULL: as the kind
    u64 memory_limit;         // 0: none
    bool unstarted;           // it is made, and never started
};

extern const struct kind kinds[];
extern const u32 kind_count;

#endif
