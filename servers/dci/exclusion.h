// SPDX-License-Identifier: MIT
// Processes that are left out of counting, for whoever counts.
#ifndef DCI_EXCLUSION_H
#define DCI_EXCLUSION_H

#include <orrery/types.h>

void exclusion_begin(void);         // takes in again what a server before this one has left out
void exclusion_session_begin(void); // forgets who was left out, but for those that are
// Processes that were left out since then: how many.
u32 exclusion_of_session(const u32 **pids);

#endif
