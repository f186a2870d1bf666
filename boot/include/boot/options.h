// SPDX-License-Identifier: MIT
// Boot line options: `name` or `name=value`, separated by blanks. Parsed strictly: an unknown or
// malformed one prints an error that lists the valid ones and powers off with a failing status.
#ifndef BOOT_OPTIONS_H
#define BOOT_OPTIONS_H

#include <orrery/types.h>

struct boot_options {
    char bench[128];           // bench=all|budget|NAME[,NAME…]: microbenchmarks to run at boot
    bool oneshot;              // oneshot: power off after the benchmarks, status by verdict
    char workload[128];        // workload=NAME[:key=value…]: started at boot and left running
    char observer_token[65];   // observer=TOKEN
    char controller_token[65]; // controller=TOKEN
    u64 trace_mask;            // trace=none|all|MAJOR[,MAJOR…], default: all but PMU and TEST
    bool trace_discard;        // trace-mode=overwrite|discard
    u32 trace_subbuffers;      // trace-subbuffers=N (4…4096, a power of two) of 64 KB a CPU
    bool quiet;                // quiet: no boot messages but errors
    bool panic_test;           // panic: panic after boot (tests of the flight recorder)
};

extern struct boot_options boot_options;

// Fills boot_options from /chosen/bootargs, or powers off. Called once, early.
void boot_options_parse(void);

#endif
