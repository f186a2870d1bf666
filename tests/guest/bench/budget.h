// SPDX-License-Identifier: MIT
// Measuring paths in instructions: one line `BENCH name value unit budget` each, for scripts/bench.
#ifndef GUEST_BUDGET_H
#define GUEST_BUDGET_H

#include <orrery/types.h>

#define NO_BUDGET 0

// A loop that does its work `times` times.
typedef void (*budget_loop)(u64 times, void *argument);

// Prints a line: value in hundredths of an instruction (or of a nanosecond, when time is the
// host's).
void budget_print(const char *name, u64 hundredths, u64 budget);
// Hundredths of an instruction that one turn of the loop takes beyond one of the base loop, the
// smallest of several runs of `times` turns with interrupts held back.
u64 budget_measure(budget_loop loop, budget_loop base, u64 times, void *argument);
// The same with interrupts on, for loops that park, yield or take long.
u64 budget_measure_open(budget_loop loop, budget_loop base, u64 times, void *argument);
void budget_empty_loop(u64 times, void *argument);

void budget_trace(void);
void budget_objects(void);
void budget_sample(void);
void budget_kernel(void);

// Keeps the compiler from merging or removing turns of a loop.
#define BUDGET_TURN(i) __asm__ volatile("" : "+r"(i))

#endif
