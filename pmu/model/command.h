// SPDX-License-Identifier: MIT
// The guest's commands.
#ifndef MODEL_COMMAND_CODES_H
#define MODEL_COMMAND_CODES_H

#include <orrery/types.h>

// Returns the data for a command's callback.
static inline void *command_data(u32 number, u32 ra, bool user)
{
    return (void *)(uintptr_t)(number | ra << 8 | (u32)user << 16);
}

// Callback of a command, before its instruction. It may read registers.
void command_run(unsigned cpu, void *data);

#endif
