// SPDX-License-Identifier: MIT
// A word that parent and children share: a child that has just been started tells that
// it is what its role says.
#ifndef TEST_PROCESSES_READY_H
#define TEST_PROCESSES_READY_H

#include <orrery/ipc.h>

#define SLOT_READY 8 // where each child has what ready_share returns

// In a child, also inside of user_disable. Nothing where SLOT_READY is empty.
void ready_say(void);

// In the parent, the first one before the others.
cap_t ready_share(void);
void ready_forget(void);
bool ready_wait(void); // has a child said so since the last ready_forget?

#endif
