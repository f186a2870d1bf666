// SPDX-License-Identifier: MIT
// Processes whose part of an answer is missing, and why. A process that does not answer, or answers
// nonsense, is shown with its reason.
#ifndef KOV_FAILURES_H
#define KOV_FAILURES_H

#include <orrery/types.h>

struct process_failure {
    u32 pid;
    s32 error;
    char *reason; // UTF-8
};

struct failures {
    struct process_failure *list; // in order of coming
    size_t count, capacity;
};

// Adds a failure. Keeps the first failure of a process. An empty reason becomes the error's text.
// What comes beyond a sane number is left out.
void failures_add(struct failures *failures, u32 pid, s32 error, const char *reason);
void failures_remove(struct failures *failures, u32 pid);
const struct process_failure *failures_find(const struct failures *failures, u32 pid); // NULL: none
void failures_free(struct failures *failures);

#endif
