// SPDX-License-Identifier: MIT
// A round asks each process of a scope for something, in one or more questions. All processes are
// asked at once. Each has one second in all, however it answers, and a limit of questions and
// bytes. A process that fails is told with a reason. The answers of the others are complete.
#ifndef DCI_ROUND_H
#define DCI_ROUND_H

#include "failures.h"
#include "frame.h"
#include "questions.h"

#include <user/answers.h>

// One process in a round.
struct visit {
    u32 pid;
    u32 part;      // its list or buffer under way, from 0
    u64 data;      // for the kind's own use
    u32 questions; // asked so far
    u64 cursor;    // where its list goes on: set by the process, so nothing but data
    u64 spent;     // ticks for which it was waited for
    u64 bytes;     // of its answers so far
    u32 room;      // of its last question
    struct answer_place place;
    struct question *question; // NULL: none is asked
    bool judged;               // its answer has been checked
    struct failure failure;    // error 0: none; else it is asked nothing more
};

struct round;
struct round_kind {
    // Sets the arguments of the visit's next question, and returns its operation. *room: the bytes
    // that the process may fill; set to the room that suits a list.
    u32 (*ask)(const struct round *round, const struct visit *visit, u64 arguments[4], u32 *room);
    // Checks the bytes of an answer that has some. NULL: answers have no bytes.
    enum answer_flaw (*check)(struct visit *visit, u64 now);
    // Moves the visit on after an answer. Returns false if it is over. NULL: it is over after one
    // answer, or after its lists. With lists: called only while the list under way goes on.
    bool (*advance)(struct visit *visit);
    // Sets visit->pid, and data, to the next process. Returns false if there is none. NULL: the
    // processes of the scope.
    bool (*next)(struct round *round, struct visit *visit);
    u32 lists;         // lists of a visit, read one after another by their cursors; 0: no lists
    u32 questions_max; // of a visit; 0: LIST_QUESTIONS_MAX
    u64 bytes_max;     // of a visit; 0: LIST_BYTES_MAX
    s64 nothing;       // the error of a process that has nothing to tell; 0: none
    bool tells_ended;  // also visits processes that end while many are visited
};

struct round {
    const struct round_kind *kind;
    dci_Scope scope;
    u32 only;      // pid of SCOPE_PROCESS
    bool listed;   // all processes have been taken
    u64 cursor;    // in the kernel's list of processes; or for the kind's own use
    void *context; // for the kind's own use, like values
    u64 values[2];
    u64 held; // bytes of answers that have come and were not used
    u32 count, max;
    struct visit visits[]; // under way, in the order of their processes
};

// Begins a round over the processes of a scope, without the kernel. Returns NULL if there is no
// memory.
struct round *round_begin(const struct round_kind *kind, dci_Scope scope, u32 pid);
void round_end(struct round *round); // does nothing for NULL

// Asks what can be asked now. Returns a visit that has an answer or a failure. Returns NULL if all
// processes are waited for, or the round is over. In a round over all, a process that ends is left
// out, if the kind does not say otherwise.
struct visit *round_next(struct round *round);
// Moves a visit on after its answer has been used or its failure told. The caller must not use the
// visit any more.
void round_used(struct round *round, struct visit *visit);
// Ends a visit at once.
void round_leave(struct round *round, struct visit *visit);
bool round_over(const struct round *round);

#endif
