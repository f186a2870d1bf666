// SPDX-License-Identifier: MIT
// The plain calls as the entry from user mode wants them.
#include "syscalls.h"

u64 syscall_entries[SYSCALL_COUNT];

// A function's descriptor begins with the address of its code.
void syscalls_init(void)
{
    for (u32 i = 0; i < SYSCALL_COUNT; i++)
        syscall_entries[i] = *(const u64 *)syscall_functions[i];
}
