// SPDX-License-Identifier: MIT
// The performance monitor interrupt. Comes from vector 0xF00 in translated mode with interrupts
// hard-masked, r13 = this CPU's block, SPRG2 (274) = the interrupted r13, everything else as
// interrupted; SPRG1 (273) is scratch. It may have interrupted anything that runs with MSR[EE] on,
// soft-masked sections and restartable sequences included, so it uses a stack of its own.
//
// 42 instructions in and 33 out, the vector's 3 included, when pmi_handle can do it alone. That one
// changes only r0, r3…r12, LR, CR, CTR, XER, and needs no r2 but the kernel's. User code always
// goes the slow way:
// its r2 and r13 are its own, and reading its memory may fault.
#include <kernel/asm.h>
#include <kernel/asm_offsets.h>
#include <kernel/percpu.h>

#include "frame.h"

#define SPR_SPRG1 273
#define SPR_SPRG2 274
#define SPR_MMCR0 795
#define MSR_PR 0x4000
#define FIRST_NONVOLATILE_SELF (14 << 3) // map byte (kernel/unwind.h): object in r14 or above

    .text
    .balign 64
    .globl  pmi_entry
pmi_entry:
    mtspr   SPR_SPRG1, r1
    ld      r1, PERCPU_PMI_STACK(r13)
    addi    r1, r1, -PMI_FRAME_SIZE
    std     r0, PMI_GPR(r1)
    mfspr   r0, SPR_SPRG1
    std     r0, 0(r1)
    each_register std, PMI_GPR, 3, 12
    mflr    r0
    std     r0, PMI_LR(r1)
    mfcr    r7
    std     r7, PMI_CR(r1)
    mfctr   r8
    std     r8, PMI_CTR(r1)
    mfxer   r9
    std     r9, PMI_XER(r1)
    mfsrr0  r4
    std     r4, PMI_SRR0(r1)
    mfsrr1  r5
    std     r5, PMI_SRR1(r1)
    andi.   r10, r5, MSR_PR
    bne-    from_user

    // r6 = the unwind map's byte for the interrupted instruction; of no meaning when that is not
    // kernel text.
    ld      r10, PMU_CPU_MAP(r13)
    srdi    r8, r4, 2
1:  lbzx    r6, r10, r8
2:  cmplwi  r6, FIRST_NONVOLATILE_SELF
    bge-    save_nonvolatile
3:  mr      r3, r1
    // u64 pmi_handle(struct interrupted *, u64 pc, u64 msr, u64 state): the new MMCR0, or 0.
    bl      pmi_handle
    cmpdi   r3, 0
    beq-    call_slow
4:  ld      r4, PMI_SRR0(r1)
    ld      r5, PERCPU_RSEQ_BASE(r13)
    ld      r6, PERCPU_RSEQ_SIZE(r13)
    subf    r5, r5, r4
    cmpld   r5, r6
    blt-    roll_back
5:  mtsrr0  r4
    ld      r5, PMI_SRR1(r1)
    ld      r6, PMI_LR(r1)
    ld      r7, PMI_CR(r1)
    ld      r8, PMI_CTR(r1)
    ld      r9, PMI_XER(r1)
    mtsrr1  r5
    mtlr    r6
    mtcr    r7
    mtctr   r8
    mtxer   r9
    mfspr   r13, SPR_SPRG2
    ld      r0, PMI_GPR(r1)
    each_register ld, PMI_GPR, 4, 12
    mtspr   SPR_MMCR0, r3           // counting goes on: PMI_EXIT_CYCLES from here
    ld      r3, PMI_GPR+8*3(r1)
    ld      r1, 0(r1)
    rfid

no_map:
    li      r6, 0
    b       2b

save_nonvolatile:
    each_register std, PMI_GPR, 14, 31
    b       3b

// What C may change and the fast way leaves alone: r2, and SPRG2,
// which an exception in the handler overwrites.
    .macro prepare_slow
    mfspr   r7, SPR_SPRG2
    std     r7, PMI_GPR+8*13(r1)
    std     r2, PMI_GPR+8*2(r1)
    lis     r2, .TOC.@highest
    ori     r2, r2, .TOC.@higher
    sldi    r2, r2, 32
    oris    r2, r2, .TOC.@high
    ori     r2, r2, .TOC.@l
    mr      r3, r1
    ld      r4, PMI_SRR0(r1)
    ld      r5, PMI_SRR1(r1)
    li      r6, 0
    .endm

from_user:
    each_register std, PMI_GPR, 14, 31
    prepare_slow
    b       7f

call_slow:
    prepare_slow
    ld      r10, PMU_CPU_MAP(r13)
    srdi    r8, r4, 2
6:  lbzx    r6, r10, r8
7:  bl      pmi_handle_slow
    ld      r2, PMI_GPR+8*2(r1)
    ld      r7, PMI_GPR+8*13(r1)
    mtspr   SPR_SPRG2, r7
    b       4b

// Interrupted inside of the restartable sequences: they begin again (kernel/rseq.h). That is kernel
// code, so r2 is the kernel's.
roll_back:
    std     r3, PMI_SRR0(r1)        // has been read; keeps the new MMCR0 over the call
    mr      r3, r4
    bl      rseq_rollback
    mr      r4, r3
    ld      r3, PMI_SRR0(r1)
    b       5b

    .section .fixups, "a"
    .quad   1b, no_map
    .quad   6b, 7b
