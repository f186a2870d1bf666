// SPDX-License-Identifier: MIT
// Hot-swap: another implementation for a live object, while everybody calls it (docs/hot-swap.md).
#ifndef CO_SWAP_H
#define CO_SWAP_H

#include <co/object.h>

// One way from an implementation to another of the same interface, exclusive: nobody is inside
// while the state moves. Both implementations lay their roots out in the same type. Of a class that
// has swaps no method parks, none has more than eight arguments, no object has children, and
// destroy_rep makes no use of its root, which is NULL for the reps that a swap has left behind.
struct co_swap {
    struct co_class *to;
    // Gets what transfer will need, before anything changes. Thread context, no lock held. Returns
    // 0 or an error, which ends the swap. NULL: nothing is needed.
    s64 (*prepare)(struct co_root *root, void **carried);
    // Moves the state. root->reps and root->shared are still the old ones; the manager takes care
    // of them, and of the class. Returns the shared rep of the new implementation, NULL if that is
    // distributed. It cannot fail, and takes no lock: masked, other CPUs spin.
    struct co_rep *(*transfer)(struct co_root *root, void *carried);
    // Gives back what prepare got, for a swap that was called off. Thread context.
    void (*abandon)(void *carried);
};

#define CO_SWAP_INSIDE 8            // callers that are named
#define CO_SWAP_MICROSECONDS 100000 // until a swap is called off, unless told otherwise
#define CO_SWAP_MICROSECONDS_MAX 1000000

struct co_swap_report {
    u32 from, to; // class ids
    bool earlier; // called off: calls or misses from before the swap had not ended
    u64 calls;    // … how many calls were inside,
    u32 named;    // … and some of them:
    struct {
        u32 thread, method; // methods count from 0, the two of co_ops included
    } inside[CO_SWAP_INSIDE];
};

// Makes a live object one of another implementation. Returns 0; or an error, and nothing has
// changed: E_INVAL: no COID can be coid, or us is 0 or too long; E_STALE: it is not live, or ended
// meanwhile; E_NOTSUP: its implementation has no other; E_NOENT: none of that name; E_EXIST: it is
// that already; E_BUSY: another swap of it is under way, or as many as can be of others; E_NOMEM;
// E_TIMEOUT: called off after us microseconds, see *report. Thread context, no lock held, no
// reference held to any object. Context switches happen.
s64 co_swap(coid_t coid, const char *implementation, u64 us, struct co_swap_report *report);

// For the host of the object manager: begins, before the first swap; and gives back what swaps have
// left behind, once nobody can use it. co_swap_tidy returns 0 if nothing is left, else the ticks
// until the next call, from the reaper's thread, which a swap wakes.
void co_swap_init(void);
u64 co_swap_tidy(void);

#endif
