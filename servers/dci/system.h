// SPDX-License-Identifier: MIT
// The machine, as all of the server knows it.
#ifndef DCI_SYSTEM_H
#define DCI_SYSTEM_H

#include "bounds.h"

#include <orrery/sys.h>

extern u64 server_started;
extern struct sys_info server_system; // as it was at the start
// Raw records on their way from a sys_ call to a frame.
extern u8 server_records[RECORDS_BYTES_MAX];

s64 system_know(void); // at the start: 0 or an error
u64 server_ticks(u64 milliseconds);

#endif
