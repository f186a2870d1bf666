// SPDX-License-Identifier: MIT
// What an image with benchmarks (tests/guest) supplies to the kernel's start; NULL in all others.
#ifndef BOOT_BENCHES_H
#define BOOT_BENCHES_H

// Runs the benchmarks of a boot option's value: "all" (every validation), "budget" (instruction
// counts against bench/budgets.json), or names separated by commas. Prints the table and, as its
// last line, `BENCHMARKS n ok, m failed`. Returns m. An unknown name prints an error that lists the
// valid ones and powers off with a failing status. Thread context, no lock held, once.
int boot_run_benches(const char *names) __attribute__((weak));

#endif
