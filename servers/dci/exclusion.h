// SPDX-License-Identifier: MIT
// Processes that are left out of counting, for whoever counts.
#ifndef DCI_EXCLUSION_H
#define DCI_EXCLUSION_H

#include "frame.h"

void exclusion_begin(void); // takes in again what a server before this one has left out
// A session begins; numbers rise.
void exclusion_session_begin(s64 session);
// Adds the processes that were left out at any time since then.
void exclusion_add(struct frame *frame, u32 field, s64 session);

#endif
