// SPDX-License-Identifier: MIT
// The plain calls as the entry from user mode wants them, and as they are while logged or
// monitored.
#include "syscalls.h"

#include <kernel/percpu.h>

u64 syscall_entries[SYSCALL_COUNT];

void syscall_traced(void);                   // exception/syscall_traced.S
void syscall_monitored(void);                // exception/syscall_monitored.S
static u64 traced_entries[SYSCALL_COUNT];    // all of them
static u64 monitored_entries[SYSCALL_COUNT]; // all of them; they go on as syscall_unmonitored says
const u64 *syscall_unmonitored = syscall_entries;
static bool monitored;

// A function's descriptor begins with the address of its code.
void syscalls_init(void)
{
    for (u32 i = 0; i < SYSCALL_COUNT; i++) {
        syscall_entries[i] = *(const u64 *)syscall_functions[i];
        traced_entries[i] = *(const u64 *)syscall_traced;
        monitored_entries[i] = *(const u64 *)syscall_monitored;
    }
}

static void set_entries(void)
{
    const u64 *entries = monitored ? monitored_entries : syscall_unmonitored;

    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        __atomic_store_n(&percpu_of(cpu)->syscalls, (u64)entries, __ATOMIC_RELAXED);
}

void syscalls_trace(bool on)
{
    __atomic_store_n(&syscall_unmonitored, on ? traced_entries : syscall_entries, __ATOMIC_RELAXED);
    set_entries();
}

void syscalls_monitor(bool on)
{
    monitored = on;
    set_entries();
}
