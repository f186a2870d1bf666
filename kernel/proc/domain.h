// SPDX-License-Identifier: MIT
// Accounting domains of the logs (S004 §3.5): which one a process and each of its dispatchers is
// in.
#ifndef KERNEL_PROC_DOMAIN_H
#define KERNEL_PROC_DOMAIN_H

#include <orrery/types.h>

// A dispatcher without a domain has the descriptor of this number, in the page behind a CPU's first
// area, where everything is 0 (observe/log/areas.c).
#define LOG_NOBODY 0x210u

struct dispatcher;
struct process;
struct thread;

// Gives a process that nobody can find yet its creator's domain. Once it can be found,
// domain_inherited is to be called with what this returns, as all domains may have been cleared
// meanwhile.
u32 domain_inherit(struct process *process);
void domain_inherited(struct process *process, u32 cleared);
// Sets a dispatcher's domain. The caller holds the process's lock, unless nobody else can find it.
void dispatcher_set_domain(struct dispatcher *dispatcher, u32 domain);
// Returns the domain of a dispatcher's thread, or of a kernel thread, that has not ended. Any
// context.
u32 domain_of_thread(const struct thread *thread);

// Returns the domain of memory from what space_set_domain was told. Memory can outlive its process,
// so it is 0 if domains have been cleared since. Any context.
u32 domain_of_memory(u32 kept);

#endif
