// SPDX-License-Identifier: MIT
// What a benchmark program tells the profile plugin (bench/profile) about a line that it measures.
// Without the plugin it does nothing.
#ifndef TOLD_H
#define TOLD_H

#include <orrery/types.h>

// twi 0,rA,TOLD_COMMAND: never traps, in any mode. rA is the number of operations of the next line
// "BENCH name value unit".
#define TOLD_COMMAND 0x4d00

// Call it once for each line, after the last reading of the time base for this line and before the
// first one for the next.
static inline void told(u64 operations)
{
    __asm__ volatile("twi 0,%0,%1" ::"r"(operations), "i"(TOLD_COMMAND));
}

#endif
