// SPDX-License-Identifier: MIT
// A round: something is asked of each process of a scope, in one or more questions, of all at once.
// Each has a second in all, however it answers, and a limit of questions and bytes; whoever fails
// is told with a reason, and the others are complete.
#ifndef DCI_ROUND_H
#define DCI_ROUND_H

#include "failures.h"
#include "frame.h"
#include "questions.h"

#include <user/answers.h>

// One process in a round.
struct visit {
    u32 pid;
    u32 part;      // which of its lists or buffers, from 0
    u64 data;      // the kind's own
    u32 questions; // asked
    u64 cursor;    // where its list goes on: the process's own, and nothing but data
    u64 spent;     // ticks in which it was waited for
    u64 bytes;     // that it has told
    u32 room;      // of its last question
    struct answer_place place;
    struct question *question; // NULL: none is asked
    bool judged;               // its answer has been looked at
    struct failure failure;    // error 0: none; else nothing more is asked of it
};

struct round;
struct round_kind {
    // The visit's next question: its operation, with its arguments. *room: bytes that it may fill;
    // it comes as what a list should be asked for now.
    u32 (*ask)(const struct round *round, const struct visit *visit, u64 arguments[4], u32 *room);
    // Are the bytes (some) that it has answered sound? NULL: nothing is wanted in the buffer.
    enum answer_flaw (*check)(struct visit *visit, u64 now);
    // Where the visit goes on after an answer: false when it is over. NULL: it is over after one.
    bool (*advance)(struct visit *visit);
    // The next process, instead of those of the scope: into visit->pid, and data; false: no more.
    bool (*next)(struct round *round, struct visit *visit);
    u32 questions_max; // of a visit; 0: those of a list
    u64 bytes_max;     // the same
    s64 nothing;       // an error by which a process says that it has none of it; 0: none
    bool tells_ended;  // of those that end, too, while many are visited
};

struct round {
    const struct round_kind *kind;
    dci_Scope scope;
    u32 only;      // SCOPE_PROCESS
    bool listed;   // all processes have been taken
    u64 cursor;    // the kernel's, in its list; or the kind's own
    void *context; // the kind's own, as the next
    u64 values[2];
    u64 held; // bytes of answers that have come and were not used
    u32 count, max;
    struct visit visits[]; // at once, by the order of their processes
};

// A round over the scope's processes, the kernel left out. NULL: out of memory.
struct round *round_begin(const struct round_kind *kind, dci_Scope scope, u32 pid);
void round_end(struct round *round); // NULL: nothing

// Asks what can be asked now, and gives a visit that has an answer or a failure, or NULL: either
// all are waited for, or round_over. A process that ends while many are visited is left out, if the
// kind does not say otherwise.
struct visit *round_next(struct round *round);
// The visit's answer has been used, or its failure told: it goes on, or is over.
// The visit must not be used any more.
void round_used(struct round *round, struct visit *visit);
// Ends a visit before its end.
void round_leave(struct round *round, struct visit *visit);
bool round_over(const struct round *round);

// For kinds of lists: goes on by the cursor that came, as long as more follows;
// then with the next part, of so many.
bool list_advance(struct visit *visit, u32 parts);

#endif
