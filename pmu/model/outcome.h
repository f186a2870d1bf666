// SPDX-License-Identifier: MIT
// What is known only when the next instruction runs. In the middle of a block that there is a next
// one says that the last one completed; at the end of a block, where the next one is says which way
// a branch went, and whether the last instruction was completed or interrupted.
//
// pending[0] of the board: the open instruction's address, bit 0 set, bit 1: in problem state.
// pending[1]: of a branch, its target and hint (0, 2, 3); of another instruction, UNFINISHED and
// from bit 2 on the mask of the events that it is if it completes.
#ifndef MODEL_OUTCOME_H
#define MODEL_OUTCOME_H

#include <orrery/types.h>

#define PENDING 1UL
#define PENDING_USER 2UL
#define UNFINISHED 1UL // where a branch has a hint

// Callback data: an address and two bits.
static inline void *place(u64 pc, u64 bits)
{
    return (void *)(uintptr_t)(pc | bits);
}

static inline u64 place_pc(const void *data)
{
    return (u64)(uintptr_t)data & ~3UL;
}

// At the start of a block, when pending[0] is not 0. data: place(its first instruction, 1 if it is
// where interrupts go).
void outcome_block(unsigned cpu, void *data);

// Behind a store conditional. data: place(its address, PENDING_USER or 0).
void outcome_stcx(unsigned cpu, void *data);

// Where a word of due may have reached DUE. data: place(the last instruction counted,
// PC_AFTER or 0).
void outcome_due(unsigned cpu, void *data);

// Before a return from an interrupt: time to look at the tag, before a process runs.
void outcome_return(unsigned cpu, void *data);

#endif
