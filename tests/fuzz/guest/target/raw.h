// SPDX-License-Identifier: MIT
// Calls with all registers as one likes, and ways back from what may go wrong.
#ifndef FUZZ_TARGET_RAW_H
#define FUZZ_TARGET_RAW_H

#include <orrery/types.h>

#define RAW_REGISTERS 11 // r0, r3 … r12
void raw_call(u64 registers[RAW_REGISTERS]);

// Where to go on after a fault or a resumed state: returns 0; and once more, not 0, when `landing`
// is entered with the context in r3.
#define CONTEXT_WORDS 23
u64 context_save(u64 context[CONTEXT_WORDS]) __attribute__((returns_twice));
void landing(void);

void execute_at(u64 address);
void upcall_entry(void);
void _start(void);

// Code address and table of contents of a function.
static inline const u64 *descriptor(void (*function)(void))
{
    return (const u64 *)(uintptr_t)function;
}

#endif
