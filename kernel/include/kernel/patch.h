// SPDX-License-Identifier: MIT
// Run-time patching of instructions, to switch trace points and the DREF hook. Text is mapped
// read-only; a batch opens a writable alias for its duration. Each store is one aligned word. Other
// CPUs may execute the place meanwhile: they see the old or the new instruction.
#ifndef KERNEL_PATCH_H
#define KERNEL_PATCH_H

#include <orrery/types.h>

#define PPC_NOP 0x60000000u

// Returns an I-form branch from one place to another; panics if out of the ±32 MB range.
u32 ppc_branch(const void *from, const void *to);
// The same to a function.
u32 ppc_branch_to(const void *from, void (*function)(void));

// Make a batch of patches, of up to 1024 words with those of batches that end meanwhile. Thread
// context, no lock of rank >= RANK_PATCH held. patch_end waits until every CPU has executed a
// context-synchronising instruction, stores each word once more, which an emulator needs
// (docs/design/platform.md), and waits again. Then the new code runs everywhere.
void patch_begin(void);
void patch_word(u32 *instruction, u32 value);
void patch_end(void);

#endif
