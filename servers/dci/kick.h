// SPDX-License-Identifier: MIT
// What wakes the server's loop besides the network and its clock. The program that runs the server
// supplies these functions; only the loop calls them.
#ifndef DCI_KICK_H
#define DCI_KICK_H

#include <orrery/types.h>

enum kick {
    KICK_ANSWER, // a process has answered a question
    KICK_OUTPUT, // something was printed on the console
    KICKS,
};

// Returns the bits of EVENT_KICK that wake the loop for it. 0: there are none, and the loop must
// look again and again.
u64 kick_bits(enum kick kick);
// Returns true if the kick has come since the last call.
bool kick_come(enum kick kick);
// Returns true if kick_come would, for any kick.
bool kick_waits(void);

#endif
