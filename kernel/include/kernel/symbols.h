// SPDX-License-Identifier: MIT
// Names of the kernel's functions, from the table that scripts/mktables.py builds into the image.
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include <orrery/types.h>

// Returns the name of the function that holds the instruction at pc, and in *offset (unless NULL)
// the distance of pc from its start in bytes. NULL: pc is in no function. Any context, PMI
// included; no lock.
const char *symbol_find(u64 pc, u64 *offset);

#endif
