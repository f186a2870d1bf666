// SPDX-License-Identifier: MIT
// Both sides of calls between processes, towards the scheduler.
#ifndef USERLIB_IPC_H
#define USERLIB_IPC_H

#include "scheduler.h"

#include <user/ipc.h>

// Where struct worker has the number of its call (thread_layout).
#define IPC_WORKER_CALL 24

// Copies the words of a message, in registers' width and without a call.
static inline void copy_words(u64 *to, const u64 *from)
{
    __builtin_memcpy(to, from, MESSAGE_WORDS * sizeof *to);
}

// Gives EVENT_CALL or EVENT_MESSAGE to a worker, and copies its bulk out of the window.
void ipc_arrived(struct scheduler *scheduler, const struct event *event);
// Lets the thread go on that EVENT_REPLY's token names.
void ipc_replied(const struct event *event);

#endif
