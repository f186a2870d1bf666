// SPDX-License-Identifier: MIT
// The registers that entry.S saves of the interrupted code, on the CPU's PMI stack.
#ifndef PMU_DRIVER_FRAME_H
#define PMU_DRIVER_FRAME_H

// Below it the 0x70 bytes that the ABI gives a callee. Offsets from r1 in the handler.
#define PMI_GPR 0x70 // r14…r31 only when the object is in one of them
#define PMI_LR 0x170
#define PMI_CR 0x178
#define PMI_CTR 0x180
#define PMI_XER 0x188
#define PMI_SRR0 0x190
#define PMI_SRR1 0x198
#define PMI_FRAME_SIZE 0x1a0

#ifndef __ASSEMBLER__
#include "sample.h"

_Static_assert(offsetof(struct interrupted, sp) == 0, "entry.S");
_Static_assert(offsetof(struct interrupted, gpr) == PMI_GPR, "entry.S");
_Static_assert(offsetof(struct interrupted, lr) == PMI_LR, "entry.S");
_Static_assert(sizeof(struct interrupted) <= PMI_CR, "entry.S");
#endif
#endif
