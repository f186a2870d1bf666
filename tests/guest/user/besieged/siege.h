// SPDX-License-Identifier: MIT
// Hostile programs of all kinds, without rights, that are started again and again; a writer whose
// synced files have to stay whole; and the ends of servers. All counts go up only.
#ifndef BESIEGED_SIEGE_H
#define BESIEGED_SIEGE_H

#include <orrery/process.h>
#include <stdbool.h>

#define SERVERS 4 // fs, net, dci, proc

// ---- hostile programs (kinds.c) -----------------------------------------------------------------

// Starts all kinds, each in a thread that starts it again once it has ended, or has lived for a
// second or two; so many times, 0: until the end. 0, or the error of what it takes to begin.
s64 kinds_begin(u32 times);
// Ends them; on return no process without rights is left. False: one would not end, or none of a
// kind has lived until it was ended.
bool kinds_end(void);
u32 kinds_count(void);
u32 kinds_least_lives(void); // of the kind that has lived and ended least often
void kinds_tell(void);       // a line for each kind

// In the process of a kind of this program's own: does not return. Its exit status if there is no
// such kind.
int attack(const char *kind);

// ---- ends of servers (killer.c) -----------------------------------------------------------------

// Begins to end each server so many times, in turn, each time once the one before is there again.
s64 killer_begin(u32 times);
u32 killer_least_kills(void); // of the server that has been ended least often
bool killer_failed(void);     // one did not come back
bool killer_is_busy(void);

// ---- the writer (writer.c) ----------------------------------------------------------------------

s64 writer_begin(void);
void writer_end(void);   // on return it has stopped, and all files have been looked at
u32 writer_rounds(void); // that are synced
u32 writer_wrong(void);  // files that were not as they were synced

#endif
