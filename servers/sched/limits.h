// SPDX-License-Identifier: MIT
// How often processes may be placed, whatever a policy proposes (S004 §4.5.1).
#ifndef SCHED_LIMITS_H
#define SCHED_LIMITS_H

#include <orrery/types.h>

#define LIMIT_A_SECOND 10  // placements
#define LIMIT_AGAIN_MS 500 // between two of one process
#define LIMIT_BACK_MS 1000 // before it goes back to where it came from

// `from` and `to`: CPUs, or other states that a process goes from and to.

// Has this process been placed too shortly ago?
bool limits_rests(u32 pid);
// Returns whether a placement is allowed now.
bool limits_allow(u32 pid, u32 to);
// Notes one that was made, from there.
void limits_note(u32 pid, u32 from);

#endif
