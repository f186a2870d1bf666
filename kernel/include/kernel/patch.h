// SPDX-License-Identifier: MIT
// Run-time patching of instructions: how trace points and the DREF hook are switched. Text is
// mapped read-only; a batch opens a writable alias for its duration. Each store is one aligned
// word, and other CPUs may execute the place meanwhile: they see the old or the new instruction.
#ifndef KERNEL_PATCH_H
#define KERNEL_PATCH_H

#include <orrery/types.h>

#define PPC_NOP 0x60000000u

// I-form branch from one place to another; panics when out of the ±32 MB range.
u32 ppc_branch(const void *from, const void *to);

// A batch of patches, up to 1024 words with those of batches that end meanwhile: thread context, no
// lock of rank >= RANK_PATCH held. patch_end stores each word once more when every CPU has executed
// a context-synchronising instruction, which an emulator needs, and returns after another on every
// CPU, so that the new code runs everywhere.
void patch_begin(void);
void patch_word(u32 *instruction, u32 value);
void patch_end(void);

#endif
