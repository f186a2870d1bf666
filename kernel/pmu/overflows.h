// SPDX-License-Identifier: MIT
// Who is told of a session's overflows, and the handler that tells them (proc/overflow.h).
#ifndef KERNEL_PMU_OVERFLOWS_H
#define KERNEL_PMU_OVERFLOWS_H

#include "sample.h"

struct process;

// Tells the process that the overflow hits, if it is to be told. Arguments: as sample_take. Returns
// the process's pid, 0: the kernel's own. From the same handlers, while pmu_cpu's tells is set.
u32 overflow_tell(const struct sample_buffer *buffer, const struct interrupted *code, u64 pc,
                  u64 msr, u64 state);

// Tells a process of the session's overflows, or no more. On return all CPUs go by it. Returns 0,
// E_LIMIT, or E_NOENT if the process is ending. Thread context; the session keeps running
// meanwhile.
s64 overflows_notify(s64 session, struct process *process, bool on);
// Tells nobody any more: the session has been stopped.
void overflows_notify_nobody(void);

#endif
