// SPDX-License-Identifier: MIT
// A thread as the state machine of activities knows it. Only the files of that machine use it.
#ifndef KOV_ACTIVITY_THREAD_H
#define KOV_ACTIVITY_THREAD_H

#include "trace/activity.h"

#define MAX_DEPTH 8

struct activity_thread {
    struct id_row row; // its id
    u64 pid;
    u32 cpu;
    bool lives; // if not, it is one that the machine knows no more
    bool idle, ended;
    bool kernel;   // it is known to be a kernel thread
    bool left_out; // the recording does not have what it does
    bool settled;  // only what is in `open` is open
    bool returned; // it has just got its CPU back; at most one exception is open
    u32 depth;
    u32 open[MAX_DEPTH]; // vectors, IRQ, CALL + number; innermost last
};

#endif
