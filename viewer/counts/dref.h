// SPDX-License-Identifier: MIT
// DREF counts by object and CPU, read at one moment, and the difference of two readings.
#ifndef KOV_DREF_H
#define KOV_DREF_H

#include "machine/failures.h"
#include "machine/scan.h"

struct dref_count {
    u32 pid;
    coid_t coid;
    u32 cpu;
    u64 invocations, misses;
};

#define DREF_COUNTS_MAX 4194304u // a machine that sends more breaks the protocol

struct dref_reading {
    struct dref_count *counts; // sorted by pid, COID, CPU
    size_t count, capacity;
    u64 begin, end; // time base
    struct failures failures;
};

// Compares struct dref_count by pid, COID and CPU, for qsort and bsearch.
int dref_compare(const void *left, const void *right);

int dref_enable(bool on, struct scan_scope scope);
int dref_read(struct dref_reading *reading, struct scan_scope scope);
void dref_free(struct dref_reading *reading);

// Gets what an object did on a CPU between two readings, if it did anything.
typedef void dref_visit(void *context, const struct dref_count *done);
// Visits them in the order of readings. An object that is new began at 0. So did one whose counts
// are less than before, because another object has its COID now. If a process did not answer
// before, nobody knows where its objects began, and they are left out.
void dref_between(const struct dref_reading *before, const struct dref_reading *after,
                  dref_visit *visit, void *context);

struct dref_row {
    u32 pid;
    coid_t coid;
    u64 invocations, misses;
    u64 by_cpu[ORRERY_MAX_CPUS];
};

struct dref_difference {
    struct dref_row *rows; // most invocations first; without those that have none
    size_t count, capacity;
    u64 invocations, misses; // sums
    size_t ended;            // number of objects that had counts and are gone
};

// Computes what happened from `before` to `after`.
void dref_subtract(const struct dref_reading *before, const struct dref_reading *after,
                   struct dref_difference *difference);
void dref_difference_free(struct dref_difference *difference);

#endif
