// SPDX-License-Identifier: MIT
// Prints why the parts of processes are missing.
#ifndef KOV_FAILURES_PRINT_H
#define KOV_FAILURES_PRINT_H

#include "machine/snapshot.h"
#include "output/document.h"

// Prints a line for each process: its name and the reason.
void failures_print(const struct failures *failures, const struct snapshot *snapshot);
// Adds an array `failures`.
void failures_json(json_t *json, const struct failures *failures, const struct snapshot *snapshot);

#endif
