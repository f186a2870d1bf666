// SPDX-License-Identifier: MIT
// The plain calls as the entry from user mode wants them, and as they are while something stands in
// for all of them, or around that.
#include "syscalls.h"

#include <kernel/percpu.h>

u64 syscall_entries[SYSCALL_COUNT];
static u64 stand_ins[SYSCALL_COUNT], outer_ones[SYSCALL_COUNT]; // the same code for all
const u64 *syscall_inner = syscall_entries;
static bool outer;

// A function's descriptor begins with the address of its code.
void syscalls_init(void)
{
    for (u32 i = 0; i < SYSCALL_COUNT; i++)
        syscall_entries[i] = *(const u64 *)syscall_functions[i];
}

static void fill(u64 *entries, void (*code)(void))
{
    for (u32 i = 0; i < SYSCALL_COUNT; i++)
        __atomic_store_n(&entries[i], *(const u64 *)code, __ATOMIC_RELAXED);
}

static void set_entries(void)
{
    const u64 *entries = outer ? outer_ones : syscall_inner;

    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        __atomic_store_n(&percpu_of(cpu)->syscalls, (u64)entries, __ATOMIC_RELEASE);
}

void syscalls_stand_in(void (*code)(void))
{
    if (code != NULL)
        fill(stand_ins, code);
    __atomic_store_n(&syscall_inner, code != NULL ? stand_ins : syscall_entries, __ATOMIC_RELEASE);
    set_entries();
}

void syscalls_surround(void (*code)(void))
{
    if (code != NULL)
        fill(outer_ones, code);
    outer = code != NULL;
    set_entries();
}
