// SPDX-License-Identifier: MIT
// The ProcessAnnex: all processes, by number.
#ifndef KERNEL_PROC_ANNEX_H
#define KERNEL_PROC_ANNEX_H

#include <orrery/types.h>

struct process;

#define PROCESS_MAX 4096    // that exist at once
#define PROCESS_RESERVED 64 // of them, only for processes that have a right

// Gives it a number and takes a reference of its own, which the caller has made already.
// 0 or E_LIMIT.
s64 annex_add(struct process *process);
// Removes a process: it can no longer be found. The reference is the caller's again.
void annex_remove(struct process *process);
// Makes a child of `parent` one of new_parent. Returns it with a reference, or NULL if none is
// left.
struct process *annex_next_child(u32 parent, u32 new_parent);
// Moves on to the next process from *place (0 to start). Returns it with a reference, or NULL at
// the end.
struct process *annex_next(u64 *place);
// Returns the table, PROCESS_MAX pointers, for readers of memory dumps.
struct process *const *annex_table(void);
// Creates the service. Boot CPU, set-up.
void annex_init(void);

#endif
