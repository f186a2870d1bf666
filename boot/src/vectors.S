// SPDX-License-Identifier: MIT
// Exception vectors. Two copies: where interrupts arrive with translation on (AIL 3, linked at
// 0xC000000000004000), and the real-mode ones at 0 for what comes earlier or is fatal (machine
// check, system reset).
//
// Convention towards exception_entry: r13 = this CPU's block (the interrupted r13 in SPRG2); r9,
// r10, r11, r12 saved in the scratch words 2, 0, 1, 3; r9 = CR, r11 = vector; SRR0/SRR1 as taken.
// SPRG0 holds the translated address of the block. User code can read SPRG3 (as SPR 259), so that
// has no address: how far the block lies from percpu_blocks, which says what CPU it is.
#include <kernel/asm_offsets.h>
#include <kernel/percpu.h>

    .macro save_scratch vector
    std     r10, PERCPU_SCRATCH+0(r13)
    std     r11, PERCPU_SCRATCH+8(r13)
    std     r9, PERCPU_SCRATCH+16(r13)
    std     r12, PERCPU_SCRATCH+24(r13)
    mfcr    r9
    li      r11, \vector
    .endm

    .macro vector address
    .org    \address
    mtspr   274, r13
    mfspr   r13, 272
    save_scratch \address
    b       exception_entry
    .endm

    .section .vectors, "ax"
    vector 0x100 // system reset
    vector 0x200 // machine check
    vector 0x300 // data storage
    vector 0x380 // data segment
    vector 0x400 // instruction storage
    vector 0x480 // instruction segment
    vector 0x500 // external
    vector 0x600 // alignment
    vector 0x700 // program
    vector 0x800 // floating point unavailable
    vector 0x900 // decrementer
    vector 0xa00 // directed doorbell
    .org 0xc00   // system call: user code is not promised its CTR, so r13 waits there
    mtctr   r13
    mfspr   r13, 272
    b       syscall_entry
    vector 0xd00 // trace (single step)
    .org 0xf00   // performance monitor: straight to the sampler, on its own stack
    mtspr   274, r13
    mfspr   r13, 272
    b       pmi_entry
    .org 0xf20   // AltiVec unavailable; the vectors 0xf20… are 32 bytes apart
    mtspr   274, r13
    mfspr   r13, 272
    b       vector_f20
    .org 0xf40   // VSX unavailable
    mtspr   274, r13
    mfspr   r13, 272
    b       vector_f40
    .org 0xf60   // facility unavailable
    mtspr   274, r13
    mfspr   r13, 272
    b       vector_f60
    .org 0x1000
vector_f20:
    save_scratch 0xf20
    b       exception_entry
vector_f40:
    save_scratch 0xf40
    b       exception_entry
vector_f60:
    save_scratch 0xf60
    b       exception_entry
    vector 0x1300 // instruction breakpoint
    vector 0x1500 // soft patch

    .macro real_vector address
    .org    \address
    mtspr   274, r13
    mfspr   r13, 275
    addis   r13, r13, percpu_blocks@higha // the low half: real mode ignores the top nibble
    addi    r13, r13, percpu_blocks@l
    save_scratch \address
    b       real_to_translated
    .endm

    .section .real_vectors, "ax"
    real_vector 0x100
    real_vector 0x200
    real_vector 0x300
    real_vector 0x380
    real_vector 0x400
    real_vector 0x480
    real_vector 0x500
    real_vector 0x600
    real_vector 0x700
    real_vector 0x800
    real_vector 0x900
    real_vector 0xa00
    real_vector 0xc00
    real_vector 0xd00
    .org 0x1000
// Continues with translation on, if it has been set up, as if the vector had come that way.
real_to_translated:
    mfsrr0  r10
    std     r10, PERCPU_SCRATCH+32(r13)
    mfsrr1  r10
    std     r10, PERCPU_SCRATCH+40(r13)
    mfmsr   r10
    ld      r12, PERCPU_MMU_MSR(r13)
    or      r10, r10, r12
    mtsrr1  r10
    lis     r10, 1f@highest
    ori     r10, r10, 1f@higher
    sldi    r10, r10, 32
    oris    r10, r10, 1f@high
    ori     r10, r10, 1f@l
    mtsrr0  r10
    rfid
    .text
1:  mfspr   r13, 272
    ld      r10, PERCPU_SCRATCH+32(r13)
    mtsrr0  r10
    ld      r10, PERCPU_SCRATCH+40(r13)
    mtsrr1  r10
    b       exception_entry
