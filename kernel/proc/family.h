// SPDX-License-Identifier: MIT
// Families: processes without rights, by the process with rights that they descend from. A family
// has at most PROCESS_FAMILY_MAX members, so a process that starts itself for ever costs others
// little time and memory.
#ifndef KERNEL_PROC_FAMILY_H
#define KERNEL_PROC_FAMILY_H

#include <orrery/types.h>

struct family;
struct process;

// Gives a process that nobody can find yet its family: that of its creator (NULL: the kernel) if
// that is in one, or one of its own. A process with rights has none. 0, E_LIMIT: the family is
// full, E_NOMEM.
s64 family_join(struct process *process, const struct process *creator);
// Leaves it, when the process is freed. Any context.
void family_leave(struct process *process);

#endif
