// SPDX-License-Identifier: MIT
// The exception frame: every register of the interrupted code, on the kernel stack.
#ifndef KERNEL_FRAME_H
#define KERNEL_FRAME_H

// Below it is a 0x80-byte ABI frame, so the back chain is complete. Assembly offsets are from r1 in
// the handler.
#define FRAME_GPR 0x80
#define FRAME_PC 0x180
#define FRAME_MSR 0x188
#define FRAME_LR 0x190
#define FRAME_CTR 0x198
#define FRAME_XER 0x1a0
#define FRAME_CR 0x1a8
#define FRAME_VECTOR 0x1b0
#define FRAME_DAR 0x1b8
#define FRAME_DSISR 0x1c0
#define FRAME_MASKED 0x1c8
#define FRAME_MAGIC 0x1d0
#define FRAME_SIZE 0x300 // with the 288-byte red zone of ELFv1 left alone

#define FRAME_MAGIC_VALUE 0x4f52524652414d45 // "ORRFRAME"

#ifndef __ASSEMBLER__
#include <orrery/types.h>

struct frame {
    u64 gpr[32];
    u64 pc, msr, lr, ctr, xer, cr;
    u64 vector, dar, dsisr;
    u64 soft_masked; // state of the interrupted code
    u64 magic;       // FRAME_MAGIC_VALUE, for debuggers and the stack walk
};
#endif
#endif
