// SPDX-License-Identifier: MIT
// DREF counts by object and CPU, as read at one moment, and the difference of two readings.
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

#define DREF_COUNTS_MAX 4194304u // a machine that tells of more breaks the protocol

struct dref_reading {
    struct dref_count *counts; // sorted by pid, COID, CPU
    size_t count, capacity;
    u64 begin, end; // time base
    struct failures failures;
};

// Order of struct dref_count by pid, COID and CPU, for qsort and bsearch.
int dref_compare(const void *left, const void *right);

int dref_enable(bool on, struct scan_scope scope);
int dref_read(struct dref_reading *reading, struct scan_scope scope);
void dref_free(struct dref_reading *reading);

// Of an object on a CPU: what it did between two readings, where that is not nothing.
typedef void dref_visit(void *context, const struct dref_count *done);
// In the order of readings. An object that was not there before, or whose counts are less than they
// were because another one has its COID, began at 0. Of a process that did not answer before it is
// not known where its objects began: they are left out.
void dref_between(const struct dref_reading *before, const struct dref_reading *after,
                  dref_visit *visit, void *context);

struct dref_row {
    u32 pid;
    coid_t coid;
    u64 invocations, misses;
    u64 by_cpu[ORRERY_MAX_CPUS];
};

struct dref_difference {
    struct dref_row *rows; // most invocations first; none without any
    size_t count, capacity;
    u64 invocations, misses; // sums
    size_t ended;            // objects that had counts and are gone
};

// What happened from `before` to `after`.
void dref_subtract(const struct dref_reading *before, const struct dref_reading *after,
                   struct dref_difference *difference);
void dref_difference_free(struct dref_difference *difference);

#endif
