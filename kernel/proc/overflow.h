// SPDX-License-Identifier: MIT
// A dispatcher's overflows of counters, for a process that is told of them (sys_overflow_notify).
// The interrupt's handler fills a record in the kernel and sets `overflowed`. The dispatcher's own
// thread takes it as an event, which copies it into the page: so the process reads a record that
// does not change under its eyes, and nothing that it writes is read here but `disabled`.
#ifndef KERNEL_PROC_OVERFLOW_H
#define KERNEL_PROC_OVERFLOW_H

#include <orrery/user.h>

struct dispatcher;
struct process;

struct overflow_state {
    s64 session; // whose overflows it is told, 0: none; under the process's lock
    // The rest is the dispatcher's CPU's alone.
    u64 number; // of overflows that have hit it
    u64 told, lost;
    bool telling; // has been told of one, and was not seen enabled since
    struct overflow_record record;
};

// Counts an overflow that hits the dispatcher. Returns the record to be filled, with number,
// session, thread and CPU set, then given to overflow_end; or NULL: nobody asked, or it is lost.
// PMI, on its CPU.
struct overflow_record *overflow_begin(struct dispatcher *hit);
// Has the dispatcher told before it goes on in user mode. PMI, on its CPU.
void overflow_end(struct dispatcher *hit);

// Makes the waiting overflow the event, and the page's record. Returns false if there is none. Own
// thread.
bool overflow_take(struct dispatcher *self, struct event *event);

// Sets whose overflows the dispatchers of a process are told, also those to come. session 0: none.
// A handler that runs meanwhile may still go by what was before. Thread context.
void process_tell_overflows(struct process *process, s64 session);

#endif
