// SPDX-License-Identifier: MIT
// The mediator: one rep that stands in all entries of an object while it is being swapped. It
// counts calls in and out and passes them on to the object's rep.
#ifndef CO_MEDIATOR_H
#define CO_MEDIATOR_H

#include "internal.h"

// The word of a mediator: how many calls are inside, and how far the swap is. One word, so closing
// and counting in cannot cross.
#define MEDIATOR_CALLS 0xffffffffUL
#define MEDIATOR_CLOSED (1UL << 32) // who can wait waits
#define MEDIATOR_MOVING (1UL << 33) // all wait; nobody is inside
#define MEDIATOR_DONE (1UL << 34)   // the entries say where to go

#define MEDIATOR_PLACES 64 // who is inside, by thread id modulo this

enum mediator_state { MEDIATOR_FREE, MEDIATOR_TAKEN, MEDIATOR_LINGERS };

struct mediator {
    struct co_rep rep;                   // no magic: it is no rep of its object
    u64 word;                            // atomic
    u64 inside[MEDIATOR_PLACES];         // atomic: thread id << 8 | method; 0: nobody
    struct co_rep *old[ORRERY_MAX_CPUS]; // reps that the swap has left behind
    void (*destroy_rep)(struct co_root *root, struct co_rep *rep); // theirs
    struct co_grace grace;     // since its entries have changed last
    enum mediator_state state; // guarded by the pool's lock
};

// A call that goes through a mediator, in its frame (mediator.S knows the first word).
struct co_mediation {
    struct mediator *in; // NULL: not counted
    u64 mine, before;    // what its place among `inside` holds, and held
};

extern const u64 co_mediator_ops[CO_METHOD_SLOTS];

// Called by the trampolines of co_mediator_ops. Returns what the method is to be called on, or an
// error. If call->in is not NULL, co_mediator_leave must follow.
struct co_rep *co_mediator_enter(struct co_rep *self, u64 method, struct co_mediation *call);
void co_mediator_leave(const struct co_mediation *call);
// Is a call through this mediator further up the caller's stack?
bool co_mediator_recurs(const struct mediator *mediator);

// Takes a mediator from the pool for a root. Returns NULL if there is none, or the object has one.
struct mediator *co_mediator_take(struct co_root *root);
// Gives back one that no entry holds any more, once nobody can be in it.
void co_mediator_drop(struct mediator *mediator);

#endif
