// SPDX-License-Identifier: MIT
// What the threads of a program wait for, read from its memory while it does nothing for it: by the
// kernel, and by kov in a memory dump. Nothing that a program says of itself is trusted: the most
// that it can do is to lie about its own threads.
#ifndef TRACE_WAITS_H
#define TRACE_WAITS_H

#include <orrery/thread_layout.h>
#include <stdbool.h>

#define TRACE_WAITS_THREADS 4096 // of a program; who has more tells no others

// Reads memory of the program, at most 8 bytes that lie in one page, or a struct thread_layout.
// Returns false if that is not possible.
typedef bool (*trace_waits_read)(void *context, void *to, u64 from, u64 bytes);

struct trace_waits {
    trace_waits_read read;
    void *context;
    struct thread_layout layout;
    u64 next; // address; 0: no more
    u32 left; // until there are too many
};

struct trace_waits_thread {
    u64 address; // its token in calls
    u64 works_on;
    u64 mutex; // or whatever it waits for: | THREAD_WAITS_*; 0: none
    u64 switches;
    u32 id, owner; // owner: of the mutex, or the thread to be joined; 0: nobody, or not known
};

// Begins with the program whose struct thread_layout is at an address. Returns false if there is
// none.
bool trace_waits_open(struct trace_waits *waits, u64 layout, trace_waits_read read, void *context);
// Reads the next thread. Returns false at the end, or when what it reads makes no sense.
bool trace_waits_next(struct trace_waits *waits, struct trace_waits_thread *thread);

#endif
