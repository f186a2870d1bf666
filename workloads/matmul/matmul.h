// SPDX-License-Identifier: MIT
// The parts of matmul: the multiplication, and the collector that watches it.
#ifndef MATMUL_H
#define MATMUL_H

#include <orrery/types.h>

#define SIZE_MAX_ROWS 4096
#define MULTIPLIERS 6

// Square matrices of u64, which wrap around; stored row by row.
struct product {
    u64 size;
    u64 *left, *right, *result;
};

// Allocates matrices of size × size. E_NOMEM.
s64 product_make(struct product *product, u64 size);
// Fills some rows of left and right with random numbers.
void product_fill(struct product *product, u64 row, u64 rows);
// Multiplies. The first of MULTIPLIERS threads makes the next one, and so on; returns when all have
// ended.
s64 product_multiply(struct product *product);
// Checks that the result times a vector is left times (right times the vector). A wrong result
// passes in at most one of 2^64 cases.
bool product_is_right(const struct product *product);

// A thread that reads records of a monitor of this process until it is told to end.
struct collected {
    u64 reads, records, lost, switches, threads; // records of kinds SWITCH and THREAD
};
s64 collector_start(void);
s64 collector_end(struct collected *collected);

#endif
