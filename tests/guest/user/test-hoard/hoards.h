// SPDX-License-Identifier: MIT
// What the processes without rights of this test do, and what they were given.
#ifndef TEST_HOARD_HOARDS_H
#define TEST_HOARD_HOARDS_H

#include <orrery/ipc.h>

#define SLOT_DONE 9  // an endpoint of the one that started it
#define SLOT_LEND 11 // an endpoint that keeps memory that it is given, or else gives some
#define SLOT_STOP 10 // memory: a page whose first word is not 0 when it is enough

// Each takes memory through a server, lets go of what the server counts it by, and goes on until it
// gets nothing any more. Returns the bytes that it holds.
u64 hoard_files(void);
u64 hoard_pipes(void);
u64 hoard_sockets(void);
u64 hoard_monitors(void);
u64 hoard_lent(void); // another's memory, from SLOT_LEND
u64 hoard_made(void); // its own, all there; it keeps nothing, but SLOT_LEND does

// The one with rights that lends and keeps: its endpoint, and the end of what it has kept.
s64 lender(void);
void lender_forgets(void);

// Starts itself again, for ever, as does each that it starts; until SLOT_STOP says so.
int bomb_main(void);
s64 bomb_start(cap_t stop);

#endif
