// SPDX-License-Identifier: MIT
// Accounting domains of the logs (S004 §3.5): which one a process and each of its dispatchers is
// in.
#ifndef KERNEL_PROC_DOMAIN_H
#define KERNEL_PROC_DOMAIN_H

#include <orrery/types.h>

struct process;

// A process that nobody can find yet gets its creator's domain. To be told once it can be found:
// its domain may be from before all were cleared.
u32 domain_inherit(struct process *process);
void domain_inherited(struct process *process, u32 cleared);

#endif
