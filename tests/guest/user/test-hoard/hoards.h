// SPDX-License-Identifier: MIT
// What the processes without rights of this test do, and what they were given.
#ifndef TEST_HOARD_HOARDS_H
#define TEST_HOARD_HOARDS_H

#include <orrery/ipc.h>

#define SLOT_DONE 9  // an endpoint of the one that started it
#define SLOT_STOP 10 // memory: a page whose first word is not 0 when it is enough

// Each takes memory through a server, lets go of what the server counts it by, and goes on until it
// gets nothing any more. Returns the bytes that it holds.
u64 hoard_files(void);
u64 hoard_pipes(void);
u64 hoard_sockets(void);

// Starts itself again, for ever, as does each that it starts; until SLOT_STOP says so.
int bomb_main(void);
s64 bomb_start(cap_t stop);

#endif
