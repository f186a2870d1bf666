// SPDX-License-Identifier: MIT
// The tables that the generator makes of syscalls.def, for the entry from user mode.
#ifndef KERNEL_SYSCALLS_SYSCALLS_H
#define KERNEL_SYSCALLS_SYSCALLS_H

#include <syscalls/numbers.h>

#include <kernel/frame.h>
#include <orrery/types.h>
#include <stdbool.h>

// Plain calls: s64 functions of the arguments as they came in r3…r10. Each takes as many as it has.
// The entry code (exception/user_entry.S) calls each as what it is.
typedef void (*syscall_function)(void);
extern const syscall_function syscall_functions[SYSCALL_COUNT];

// Special calls: they find and change all registers in the frame.
typedef void (*special_function)(struct frame *frame);
extern const special_function special_functions[SYSCALL_SPECIAL_COUNT];

// Addresses of the plain calls' code, for the entry from user mode.
extern u64 syscall_entries[SYSCALL_COUNT];
void syscalls_init(void); // fills them; set-up

// Puts a function in the place of all plain calls, which goes on to syscall_entries, or takes it
// away (NULL). It costs nothing while there is none: the CPUs find another table of entries. Each
// of the two has one user. Call both between patch_begin and patch_end, after which all CPUs do so.
void syscalls_stand_in(void (*code)(void));
// Puts one around these, which goes on as syscall_inner says.
void syscalls_surround(void (*code)(void));
extern const u64 *syscall_inner;

#endif
