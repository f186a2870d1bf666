// SPDX-License-Identifier: MIT
// Something in the libraries of processes that is on or off in each, such as DREF counts or logs. Clients change what is
// wanted; the processes are then brought in line, one question at a time, as they answer.
#ifndef DCI_SWITCHING_H
#define DCI_SWITCHING_H

#include <orrery/types.h>

struct switched_process {
    u32 pid;
    s32 error; // 0: it is on there; else it failed, and is not asked any more
};

struct switching {
    u32 operation; // MONITOR_*: the question
    void (*arguments)(u64 arguments[4], bool on);
    bool (*wanted)(u32 pid); // it is to be on there
    bool (*stays)(u32 pid);  // where it is on already, nothing is to be done
    // The answer of a process that was to switch it on. False: nothing is noted, it is asked again the next time.
    bool (*answered)(s64 result);

    struct switched_process *processes; // where it is on, or was asked to be
    u32 max;                            // of them: further processes are left as they are
    u32 count;

    // Where the bringing in line is: first those that are on and do not stay go off, then all that are wanted go on.
    enum switching_phase { SWITCHING_IN_LINE, SWITCHING_OFF, SWITCHING_ON } phase;
    u32 place;     // SWITCHING_OFF: in processes
    u64 cursor;    // SWITCHING_ON: the kernel's
    u32 asked_pid; // a question to it is under way, 0: none
    bool asked_on;
};

// All of this: the server's thread.

// What is wanted has changed: begins with this phase. A question under way goes on.
void switching_begin(struct switching *switching, enum switching_phase phase);
// Goes as far as it can now: true when all are in line.
bool switching_go(struct switching *switching);
// Takes processes[index], which has ended, out of the list; the last one takes its place.
void switching_forget(struct switching *switching, u32 index);

#endif
