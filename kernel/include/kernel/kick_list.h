// SPDX-License-Identifier: MIT
// Processes that are told of something by an EVENT_KICK. Each is told once and asks anew, so that a
// storm of events costs it one.
#ifndef KERNEL_KICK_LIST_H
#define KERNEL_KICK_LIST_H

#include <kernel/spinlock.h>
#include <orrery/types.h>

struct process;

#define KICK_LIST_PROCESSES 16

struct kick_list {
    struct spinlock lock; // guards everything here
    struct kick_listener {
        struct process *process; // held; NULL: free
        u32 cpu;
        u64 bits; // 0: has been told
    } all[KICK_LIST_PROCESSES];
};

#define KICK_LIST_INIT(name)                                                                       \
    {                                                                                              \
        .lock = SPINLOCK_INIT(name, RANK_SERVICE)                                                  \
    }

// Puts the calling process on the list: the calling dispatcher gets these bits of EVENT_KICK (0:
// none) once. Replaces its earlier request. Returns 0, E_LIMIT if the list is full, or E_NOTSUP in
// a thread of the kernel. Thread context.
s64 kick_list_ask(struct kick_list *list, u64 bits);
// Kicks all processes that have asked since they were told. Thread or interrupt context, no lock of
// RANK_SERVICE or above held.
void kick_list_tell(struct kick_list *list);
// Forgets a process that ends. Thread context, no lock held.
void kick_list_remove(struct kick_list *list, const struct process *process);

#endif
