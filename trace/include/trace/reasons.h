// SPDX-License-Identifier: MIT
// Reasons why a thread leaves its CPU (SCHED:switch), and what wakes one (SCHED:wake). The numbers
// are part of the trace format: add new ones at the end. Assembly includes this too.
#ifndef TRACE_REASONS_H
#define TRACE_REASONS_H

#define REASON_UNKNOWN 0
#define REASON_PREEMPTED 1 // leaves: for a more urgent thread, or because its slice is over
#define REASON_YIELD 2     // leaves: gives its turn away
#define REASON_ENDED 3     // leaves: for ever
// leaves: hands the CPU to its server and waits for the answer; woken: by a call
#define REASON_CALL 4
#define REASON_REPLY 5  // leaves: hands the CPU back to its client, and waits for any event
#define REASON_ANSWER 6 // waits for the answer to a call; woken: by it
// waits for any event: calls, messages, its process's timer; woken: by none of these alone
#define REASON_EVENT 7
#define REASON_MESSAGE 8 // woken: by a message
#define REASON_LOCK 9    // waits for a sleeping lock
#define REASON_PAGE 10   // waits for a page
#define REASON_TIME 11   // waits for a time; woken: it has come
#define REASON_OTHER 12  // waits for another thread in another way
#define REASON_START 13  // woken: for the first time
#define REASONS 14
#define REASON_NAMES                                                                               \
    {                                                                                              \
        "untold", "preempted", "yield", "ended", "call", "reply", "answer", "event", "message",    \
            "lock", "page", "time", "other", "start"                                               \
    }

#endif
