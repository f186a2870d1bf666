// SPDX-License-Identifier: MIT
// The lengths of the run queues, from the logs of the kernel (orrery/log.h). While they are open
// this process owns the logs of the machine.
#ifndef SCHED_QUEUES_H
#define SCHED_QUEUES_H

#include <orrery/sched.h>

// Takes the logs: an area on each of the machine's CPUs. E_BUSY: another process owns them.
// E_NOMEM.
s64 queues_open(u32 cpus);
void queues_close(void);
// Stores the latest length of each CPU's queue. Returns 0, or the error of a reading; what is not
// told newly stays as it was.
s64 queues_read(u8 lengths[SCHED_CPUS]);

#endif
