// SPDX-License-Identifier: MIT
// In-kernel microbenchmarks (S000 §4.4): each does work whose counts are known beforehand and
// compares what the monitor found with the hand count. `bench=all|budget|NAME[,NAME…]` on the
// boot line runs them; the table on the console is name, expected, counted, verdict.
#ifndef GUEST_BENCH_H
#define GUEST_BENCH_H

#include <orrery/types.h>

// ---- what a benchmark is written with: thread context, the benchmark's own thread ---------------

// One row: ok when counted == expected.
void bench_exact(u64 expected, u64 counted, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// One row: ok when low <= counted <= high.
void bench_range(u64 low, u64 high, u64 counted, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A line of explanation in the table; no verdict.
void bench_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Many equal comparisons in one row: the sums are shown, and one mismatch anywhere fails it.
struct bench_tally {
    u64 expected, counted; // sums
    u64 comparisons, mismatches;
};
void bench_compare(struct bench_tally *tally, u64 expected, u64 counted);
void bench_tally_row(const struct bench_tally *tally, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same work on several CPUs at once.
struct bench_worker {
    u32 cpu;
    void *argument;
    u64 result; // the worker's own
};
// Starts function on each CPU of the mask (bit n: CPU n) at normal priority, lets all go at the
// same moment and waits until all have returned. workers[cpu] holds cpu and argument, and the
// result. Returns 0 or E_NOMEM (nothing was run).
int bench_on_cpus(u64 mask, void (*function)(struct bench_worker *worker), void *argument,
                  struct bench_worker workers[ORRERY_MAX_CPUS]);
u64 bench_all_cpus(void); // mask of the CPUs that are up

// How many times as many instructions the kernel's code may take as it does without a sanitizer's
// checks. For bounds on what a measurement costs by itself, and on how far apart its samples must
// be.
#ifdef SANITIZE
#define BENCH_CODE_FACTOR 6
#else
#define BENCH_CODE_FACTOR 1
#endif

// Whether to go on waiting for what must come, since ticks of the time base. How long that takes is
// the host's affair: the limit, ten minutes, only ends what hangs.
bool bench_waits(u64 since);
// Returns how far from its mean something with this variance may be by chance: 6.5 standard
// deviations. With a normal distribution more is found in one of 10^10 cases. Rounded up.
u64 bench_chance(u64 variance);
#endif
