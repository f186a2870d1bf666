// SPDX-License-Identifier: MIT
// Measuring, and this program's parts.
#ifndef BENCH_FILES_BENCH_H
#define BENCH_FILES_BENCH_H

#include <orrery/types.h>

#define BATCHES 25

// Prints "BENCH name value ns": what one of so many operations took, in ticks of the time base.
void tell(const char *name, u64 ticks, u64 operations);

// Does the operation once, then so many times a batch, and tells what the least batch took: clock
// ticks and what servers do now and then fall into other batches.
void measure(const char *name, u32 rounds, void (*operation)(void));

// False where something failed, which they say.
bool bench_pipes(void);
bool bench_sockets(void);
bool bench_web(void);

// Starts this program once more, to do `what`, with these files as its standard input and output.
// Returns its pid.
s64 begin_child(const char *what, int from, int to);
// What children do. "answer": answers each byte of the file `from` in the file `to`, until the
// first ends. "connect": the same over a connection that it makes. Return a status.
int answer_bytes(int from, int to);
int answer_connected(void);

#endif
