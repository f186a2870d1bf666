// SPDX-License-Identifier: MIT
// Boot line options: `name` or `name=value`, separated by blanks. Parsing is strict: an unknown or
// malformed option prints an error that lists the valid ones and powers off with a failing status.
// The word `--` ends them: the words after it are for programs, which read them by sys_option.
#ifndef KERNEL_OPTIONS_H
#define KERNEL_OPTIONS_H

#include <orrery/types.h>

#define BOOT_INIT "bin/init"

struct boot_options {
    char bench[128];    // bench=all|budget|NAME[,NAME…]: microbenchmarks to run at boot
    bool oneshot;       // oneshot: power off after failing benchmarks, else after the last of all
    char workload[128]; // workload=NAME[:key=value…]: started at boot and left running
    char init[64];      // init=PATH: the first process (default bin/init)
    char run[256];      // run=PROGRAM[,ARGUMENT…]: for init: run it instead of the shell
    char observer_token[65];   // observer=TOKEN
    char controller_token[65]; // controller=TOKEN
    u64 trace_mask;            // trace=none|all|MAJOR[,MAJOR…], default: see options.c
    bool trace_discard;        // trace-mode=overwrite|discard
    u32 trace_subbuffers;      // trace-subbuffers=N (4…4096, a power of two) of 64 KB a CPU
    bool ipc_slow;             // ipc=fast|slow: whether calls may take the fast path
    u32 lockup;                // lockup=SECONDS: after which a CPU is reported, 0: none is
    bool poison;               // poison: freed memory is filled with junk
    u64 fail;                  // fail=N,PID|kernel|all: the allocation that fails, 0: none does
    u32 fail_pid;              // of whom, as sys_memory_fail has it
    bool quiet;                // quiet: no boot messages but errors
    bool panic_test;           // panic: panic after boot (tests of the flight recorder)
};

extern struct boot_options boot_options;

// Fills boot_options from /chosen/bootargs, or powers off. Called once, early.
void boot_options_parse(void);
// Returns the text behind NAME= on the boot line, for kernel options and those for programs; "" for
// a word without a value; NULL if it is missing.
const char *boot_option_value(const char *name);

#endif
