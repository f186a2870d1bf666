// SPDX-License-Identifier: MIT
// Both sides of calls between processes, towards the scheduler.
#ifndef USERLIB_IPC_H
#define USERLIB_IPC_H

#include "scheduler.h"

#include <user/ipc.h>

// The words of a message, in registers' width and without a call.
static inline void copy_words(u64 *to, const u64 *from)
{
    __builtin_memcpy(to, from, MESSAGE_WORDS * sizeof *to);
}

// EVENT_CALL, EVENT_MESSAGE: a worker gets it, its bulk is copied out of the window.
void ipc_arrived(struct scheduler *scheduler, const struct event *event);
// EVENT_REPLY: the thread that the token names goes on.
void ipc_replied(const struct event *event);

#endif
