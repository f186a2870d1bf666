// SPDX-License-Identifier: MIT
// Entry from firmware, for the boot CPU and for CPUs that it starts. Both come in real mode; the
// link address works there too, because real mode ignores the top nibble (docs/design/platform.md).
#include <kernel/asm_offsets.h>
#include <kernel/percpu.h>

#define MSR_SF_ME_RI 0x8000000000001002

    .macro load_address reg, symbol
    lis     \reg, \symbol@highest
    ori     \reg, \reg, \symbol@higher
    sldi    \reg, \reg, 32
    oris    \reg, \reg, \symbol@high
    ori     \reg, \reg, \symbol@l
    .endm

// Jumps to the linked address in 64-bit mode without the FPU, whatever firmware left on.
    .macro enter_64bit label
    li      r9, 1
    sldi    r9, r9, 63
    ori     r9, r9, 0x1002
    load_address r10, \label
    mtsrr0  r10
    mtsrr1  r9
    rfid
    .endm

    .section .text.start, "ax"
    .globl _start
// r3 initrd address, r4 initrd size, r5 firmware's client entry (not used: calls go by hypercall).
_start:
    enter_64bit 1f
1:  load_address r2, .TOC.
    load_address r1, boot_stack_top
    addi    r1, r1, -128
    li      r0, 0
    std     r0, 0(r1)
    load_address r8, bss_start
    load_address r9, image_end
2:  std     r0, 0(r8)
    addi    r8, r8, 8
    cmpld   r8, r9
    blt     2b
#ifdef SANITIZE_ADDRESS
// The image's shadow, which the first instrumented function looks at.
    load_address r8, SANITIZE_SHADOW_OFFSET
    load_address r9, image_end
    load_address r10, text_start
    srdi    r9, r9, 3
    srdi    r10, r10, 3
    add     r9, r9, r8
    add     r8, r8, r10
3:  std     r0, 0(r8)
    addi    r8, r8, 8
    cmpld   r8, r9
    blt     3b
#endif
    load_address r13, percpu_blocks
    mtspr   272, r13
    mtspr   275, r0                 // its offset, as vectors.S wants it
    bl      boot_main
    nop
    trap

    .globl secondary_start
// r3: linear address of this CPU's struct percpu.
secondary_start:
    mr      r13, r3
    enter_64bit 1f
1:  load_address r2, .TOC.
    li      r9, 0xC
    sldi    r9, r9, 60
    or      r13, r13, r9
    mtspr   272, r13
    load_address r9, percpu_blocks
    subf    r9, r9, r13
    mtspr   275, r9
    ld      r1, PERCPU_BOOT_STACK(r13)
    addi    r1, r1, -128
    li      r0, 0
    std     r0, 0(r1)
    bl      secondary_real_main
    nop
    trap

    .globl mmu_enter
// void mmu_enter(u64 r13, u64 stack, void (*continue_at)(void)): turns translation on, moves r13 to
// the CPU's window and the stack to its guarded mapping, and never returns.
    .section .opd, "aw"
mmu_enter:
    .quad   .mmu_enter, .TOC.@tocbase, 0
    .section .text, "ax"
.mmu_enter:
    mr      r13, r3
    mtspr   272, r13
    addi    r1, r4, -128
    li      r0, 0
    mtlr    r0                      // walks of the stack end here
    ld      r6, 0(r5)
    mfmsr   r7
    ori     r7, r7, 0x30
    mtsrr0  r6
    mtsrr1  r7
    rfid

    .section .bss
    .balign 0x10000
// The first stack, laid out like all others: upper half of a 64 KB unit (kernel/exception/entry.S).
    .globl boot_stack_top
boot_stack:
    .space  0x10000
boot_stack_top:
