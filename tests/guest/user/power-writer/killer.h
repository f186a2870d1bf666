// SPDX-License-Identifier: MIT
// Kills the fs server again and again, at random moments.
#ifndef POWER_WRITER_KILLER_H
#define POWER_WRITER_KILLER_H

#include <orrery/types.h>

// Starts the thread that kills so many times, each time after the server has come back.
void killer_start(u32 kills);
// How many were killed so far.
u32 killer_count(void);
// Have all been killed?
bool killer_done(void);

#endif
