// SPDX-License-Identifier: MIT
// An instruction's outcome is known only when the next one runs. In the middle of a block the next
// instruction shows that the last one completed. At the end of a block its address shows which way
// a branch went, and whether the last instruction completed or was interrupted.
//
// pending[0] of the board: the open instruction's address with bit 0 set; bit 1: in problem state.
// pending[1]: for a branch, its target and hint (0, 2, 3); for another instruction, UNFINISHED and
// from bit 2 on the mask of its events if it completes.
#ifndef MODEL_OUTCOME_H
#define MODEL_OUTCOME_H

#include <orrery/types.h>

#define PENDING 1UL
#define PENDING_USER 2UL
#define UNFINISHED 1UL // in place of a branch's hint

// Callback data: an address and two bits.
static inline void *place(u64 pc, u64 bits)
{
    return (void *)(uintptr_t)(pc | bits);
}

static inline u64 place_pc(const void *data)
{
    return (u64)(uintptr_t)data & ~3UL;
}

// At the start of a block, when pending[0] is not 0. data: place(its first instruction, 1 if
// interrupts go there).
void outcome_block(unsigned cpu, void *data);

// Counts a store conditional, behind it. data: place(its address, PENDING_USER or 0).
void outcome_stcx(unsigned cpu, void *data);

// Where a word of due may have reached DUE. data: place(the last instruction counted,
// PC_AFTER or 0).
void outcome_due(unsigned cpu, void *data);

// Before a return from an interrupt: looks at the tag, before a process runs.
void outcome_return(unsigned cpu, void *data);

#endif
