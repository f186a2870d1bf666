// SPDX-License-Identifier: MIT
// What all of the server knows about the machine.
#ifndef DCI_SYSTEM_H
#define DCI_SYSTEM_H

#include "bounds.h"

#include <orrery/sys.h>

extern u64 server_started;            // time base
extern struct sys_info server_system; // as it was at the start
// Room for raw records between a system call and a frame.
extern u8 server_records[RECORDS_BYTES_MAX];

// Sets all this. Returns 0 or an error. Called at the start.
s64 system_know(void);
// Returns ticks of the time base.
u64 server_ticks(u64 milliseconds);

#endif
