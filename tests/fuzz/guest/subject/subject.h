// SPDX-License-Identifier: MIT
// A process that works as any other, and in the midst of it spoils its own memory.
#ifndef FUZZ_SUBJECT_H
#define FUZZ_SUBJECT_H

#include <orrery/types.h>

// Threads on all CPUs that call objects, contend for locks, log events, and read their counters,
// without end.
s64 work_start(void);
// Random words into every page that this process shares with the kernel, a burst at a time, without
// end.
void spoil(u64 seed) __attribute__((noreturn));

#endif
