// SPDX-License-Identifier: MIT
// The plain calls as the entry from user mode wants them, and while they are logged.
#include "syscalls.h"

#include <kernel/percpu.h>

u64 syscall_entries[SYSCALL_COUNT];

void syscall_traced(void);                // exception/syscall_traced.S
static u64 traced_entries[SYSCALL_COUNT]; // all of them

// A function's descriptor begins with the address of its code.
void syscalls_init(void)
{
    for (u32 i = 0; i < SYSCALL_COUNT; i++) {
        syscall_entries[i] = *(const u64 *)syscall_functions[i];
        traced_entries[i] = *(const u64 *)syscall_traced;
    }
}

void syscalls_trace(bool on)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        __atomic_store_n(&percpu_of(cpu)->syscalls, (u64)(on ? traced_entries : syscall_entries),
                         __ATOMIC_RELAXED);
}
