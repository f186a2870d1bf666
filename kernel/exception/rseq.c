// SPDX-License-Identifier: MIT
// Roll-back of interrupted restartable sequences.
#include <kernel/rseq.h>

#define PPC_BLR 0x4e800020u
#define PPC_OPCODE_B 18

extern const char rseq_start[], rseq32_start[], rseq_end[];

u64 rseq_rollback(u64 pc)
{
    if (__builtin_expect(pc < (u64)rseq_start || pc >= (u64)rseq_end, 1))
        return pc;
    // At its final branch the sequence has committed and must not run again.
    u32 instruction = *(const u32 *)pc;
    if (instruction == PPC_BLR || instruction >> 26 == PPC_OPCODE_B)
        return pc;
    u64 slot = pc < (u64)rseq32_start ? 128 : 32;
    return pc & ~(slot - 1);
}
