// SPDX-License-Identifier: MIT
// Why a process's part of an answer is missing; and which processes have failed of late, so that
// not every request waits for them again.
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
    u64 again; // when the process is asked again; 0: by the next request
};

// A question that is over, and not as it should be.
// error stays 0 when it was answered without an error.
struct failure failure_of(const struct question *question);
struct failure failure_of_flaw(enum answer_flaw flaw);
struct failure failure_with(s64 error, const char *text);
// As ProcessFailure in `field`.
void failure_add(struct frame *frame, u32 field, const struct failure *failure);

// Remembers it, and sets failure->again,
// when to ask this process once more would cost everybody time.
void failure_note(u32 pid, struct failure *failure);
// It has answered well.
void failure_forget(u32 pid);
// Is the process not to be asked before some time? Then why, from when it failed.
bool failure_recent(u32 pid, u64 now, struct failure *failure);

#endif
