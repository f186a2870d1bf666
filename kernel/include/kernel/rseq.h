// SPDX-License-Identifier: MIT
// Restartable sequences: short pieces of code that commit with their last store. An interrupt moves
// the code back to its start. So it runs as if alone on its CPU, without an atomic instruction.
// Slots of 128 bytes lie in .text.rseq, of 32 bytes in .text.rseq32. A slot's only unconditional
// branch is its last instruction, after the committing store. Why:
// docs/design/restartable-sequences.md.
#ifndef KERNEL_RSEQ_H
#define KERNEL_RSEQ_H

#include <orrery/types.h>

// Returns where code interrupted at pc must continue. Any context.
u64 rseq_rollback(u64 pc);

#endif
