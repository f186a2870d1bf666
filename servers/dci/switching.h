// SPDX-License-Identifier: MIT
// Something in the libraries of processes that is on or off in each, such as DREF counts or logs.
// Clients change what is wanted; the processes are then brought in line, in rounds, as they answer.
#ifndef DCI_SWITCHING_H
#define DCI_SWITCHING_H

#include "round.h"

struct switched_process {
    u32 pid;
    struct failure
        failure; // error 0: it is on there; else it failed, and is not asked for some time
};

struct switching {
    u32 operation; // MONITOR_*: the question
    void (*arguments)(u64 arguments[4], bool on);
    bool (*wanted)(u32 pid); // it is to be on there
    bool (*stays)(u32 pid);  // where it is on already, nothing is to be done
    // What came of switching a process on. False: nothing is noted,
    // it is asked again the next time. NULL: all is noted.
    bool (*told)(const struct visit *visit);

    struct switched_process *processes; // where it is on, or was asked to be
    u32 max;                            // of them: further processes are left as they are
    u32 count;

    // Where the bringing in line is: first those that are on and do not stay go off,
    // then all that are wanted go on.
    enum switching_phase { SWITCHING_IN_LINE, SWITCHING_OFF, SWITCHING_ON } phase;
    enum switching_phase
        after;           // what begins once the round under way is over; SWITCHING_IN_LINE: nothing
    struct round *round; // NULL: none is under way
    u32 place;           // SWITCHING_OFF: in processes
};

// All of this: the server's thread.

// What is wanted has changed: begins with this phase. A round under way comes to its end first.
void switching_begin(struct switching *switching, enum switching_phase phase);
// Goes as far as it can now: true when all are in line.
bool switching_go(struct switching *switching);
// Takes processes[index], which has ended, out of the list; the last one takes its place.
void switching_forget(struct switching *switching, u32 index);

#endif
