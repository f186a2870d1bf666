// SPDX-License-Identifier: MIT
// Failures: the reasons why a process's part of an answer is missing. Processes that have failed
// lately are remembered, so that not every request waits for them again.
#ifndef DCI_FAILURES_H
#define DCI_FAILURES_H

#include "frame.h"
#include "questions.h"

#include <user/answers.h>

#define FAILURE_TEXT_BYTES 96

struct failure {
    s64 error; // 0: none
    char text[FAILURE_TEXT_BYTES];
    u64 time;  // time base: when it was seen
    u64 again; // time base: when the process is asked again; 0: by the next request
};

// Returns the failure of a question that is over. Its error is 0 if the process has answered
// without an error.
struct failure failure_of(const struct question *question);
struct failure failure_of_flaw(enum answer_flaw flaw);
struct failure failure_with(s64 error, const char *text);
// Adds a failure as ProcessFailure in `field`.
void failure_add(struct frame *frame, u32 field, const struct failure *failure);

// Remembers the failure of a process, and sets failure->again, if asking it again soon would cost
// everybody time.
void failure_note(u32 pid, struct failure *failure);
// Forgets the failures of a process that has answered well.
void failure_clear(u32 pid);
// Returns true if the process must not be asked yet, and sets *failure to the one that is
// remembered.
bool failure_recent(u32 pid, u64 now, struct failure *failure);

#endif
