// SPDX-License-Identifier: MIT
// Registers of the code that calls, for panics that no exception caused.
#include <kernel/asm.h>
#include <kernel/frame.h>

#define AT(offset) ((offset) - FRAME_GPR)(3)

// void frame_capture(struct frame *frame): pc is the return address. vector, dar and the like stay
// as they are.
function frame_capture
    each_register std, 0, 0, 31, 3
    mflr    r0
    std     r0, AT(FRAME_PC)
    std     r0, AT(FRAME_LR)
    mfmsr   r0
    std     r0, AT(FRAME_MSR)
    mfctr   r0
    std     r0, AT(FRAME_CTR)
    mfxer   r0
    std     r0, AT(FRAME_XER)
    mfcr    r0
    std     r0, AT(FRAME_CR)
    blr
end_function frame_capture
