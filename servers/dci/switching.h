// SPDX-License-Identifier: MIT
// Something that is on or off in the library of each process, such as DREF counts or logs. Clients
// change what is wanted. Then the processes are brought in line in rounds, as they answer.
#ifndef DCI_SWITCHING_H
#define DCI_SWITCHING_H

#include "round.h"

struct switched_process {
    u32 pid;
    struct failure failure; // error 0: it is on; else it failed, and is not asked for some time
};

struct switching {
    u32 operation; // INSPECT_*: the question
    void (*arguments)(u64 arguments[4], bool on);
    bool (*wanted)(u32 pid); // returns true if it is to be on in a process
    bool (*stays)(u32 pid);  // returns true if it may stay on in a process where it is on
    // Takes the result of switching a process on. Returns false if that is not to be noted: the
    // process is asked again the next time. NULL: all is noted.
    bool (*told)(const struct visit *visit);

    struct switched_process *processes; // where it is on, or was asked to be
    u32 max;                            // room of processes: further ones are left as they are
    u32 count;

    // First the processes where it is on and does not stay go off, then the wanted ones go on.
    enum switching_phase { SWITCHING_IN_LINE, SWITCHING_OFF, SWITCHING_ON } phase;
    enum switching_phase after; // begins after the round under way; SWITCHING_IN_LINE: none
    struct round *round;        // under way, or NULL
    u32 place;                  // of SWITCHING_OFF: in processes
};

// Begins with a phase after a change of what is wanted. A round under way comes to its end first.
void switching_begin(struct switching *switching, enum switching_phase phase);
// Goes on as far as it can now. Returns true if all processes are in line.
bool switching_go(struct switching *switching);
// Takes processes[index], which has ended, out of the list. The last one takes its place.
void switching_remove(struct switching *switching, u32 index);

#endif
