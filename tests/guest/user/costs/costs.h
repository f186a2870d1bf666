// SPDX-License-Identifier: MIT
// What the parts of this program share: loads, and what can be measured while they run.
#ifndef COSTS_H
#define COSTS_H

#include <orrery/types.h>

// Prints "costs: " and the text, and ends the program with 1.
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

// ---- loads --------------------------------------------------------------------------------------

struct load {
    const char *name;
    void (*run)(u64 times); // the same work each time; ends the program if it does not go well
    u64 times;              // for a fraction of a second to a few seconds, in all
};
extern const struct load loads[];
extern const u32 load_count;
// A loop of DREFs and the same loop without; in bin/costs-plain the DREFs have no hook.
void drefs_in_a_loop(u64 times);
void empty_loop(u64 times);

// ---- measuring ----------------------------------------------------------------------------------

// What runs beside the loads.
struct measuring {
    const char *name;
    void (*begin)(void); // ends the program when this machine cannot
    void (*end)(void);
    u64 (*events)(void); // how often it had something to do so far: samples taken, scans made
    bool at_once;        // the load is not run in parts: what measures goes on between them
};
extern const struct measuring measuring_counts; // the five metrics' events, on all CPUs
extern const struct measuring
    measuring_samples[]; // the columns of S000's table 4.2; the last has no name
extern const struct measuring
    measuring_drefs; // invocations of objects, the kernel's and this process's
extern const struct measuring
    measuring_all_drefs;                       // and those of all processes that start meanwhile
extern const struct measuring measuring_scans; // all objects of all processes, again and again
extern const struct measuring measuring_sleep_locks; // the queues of this process's sleep locks
extern const struct measuring measuring_recorded;    // what another process samples

#endif
