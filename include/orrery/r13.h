// SPDX-License-Identifier: MIT
// Layout of the per-CPU window that r13 points at: one for each CPU in the kernel, one for each
// dispatcher in a user process. Shared by C and assembly. Every offset is from r13.
//
//   0x0000      fixed words below, then host-private data (kernel: struct percpu)
//   0x10000     Local Translation Table: 16-byte entries; a COID is an entry's offset
//   0x10000000  counts parallel to the LTT: {invocations, 0}, 16 bytes an object
#ifndef ORRERY_R13_H
#define ORRERY_R13_H

#define R13_CPU 0x000   // u32 CPU number
#define R13_TRACE 0x100 // struct trace_cpu, at most 256 bytes (trace/cpu.h)
#define R13_CO 0x200    // struct co_cpu, at most 256 bytes (co/cpu.h)
#define R13_PMU 0x300   // struct pmu_cpu, at most 256 bytes (pmu/cpu.h)
#define R13_HOST 0x400  // host-private

#define R13_LTT 0x10000
#define R13_LTT_ENTRY_SIZE 16
#define R13_LTT_ENTRIES 0x1000000   // 2^24; a COID is reused only after all the others
#define R13_COUNTS 0x10000000       // counts of object c are at r13 + R13_COUNTS + c
#define R13_WINDOW_SIZE 0x100000000 // distance of two CPUs' windows

#endif
