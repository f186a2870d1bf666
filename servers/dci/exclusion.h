// SPDX-License-Identifier: MIT
// Processes that are left out of counting.
#ifndef DCI_EXCLUSION_H
#define DCI_EXCLUSION_H

#include "frame.h"

// Has all processes counted again that an earlier run of the server left out. Called at the start.
void exclusion_begin(void);
// Notes that a session begins. Its number is higher than those of earlier sessions.
void exclusion_session_begin(s64 session);
// Adds the pids of the processes that were left out at any time since the session began.
void exclusion_add(struct frame *frame, u32 field, s64 session);

#endif
