// SPDX-License-Identifier: MIT
// The regions of a process's address space, as rows for tables and documents.
#ifndef KOV_REGIONS_H
#define KOV_REGIONS_H

#include "output/document.h"

// Adds a row for each region of the process to a list. Returns an exit code.
int regions_fetch(u32 pid, json_t *list);

#endif
