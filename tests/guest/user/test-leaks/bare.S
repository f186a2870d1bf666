// SPDX-License-Identifier: MIT
// A process without a library: what is in its registers at its first instruction and at its first
// upcalls. It can run at any address.
#include "bare.h"
#include "registers.h"

#include <orrery/user.h>
#include <syscalls/numbers.h>

#define VRSAVE 256
#define PPR 896

    .machine power9

    // Stores all registers where r1 points. r0 goes first, as it is needed for the others.
    .macro store_all
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    std     \n, 8*\n(1)
    .endr
    mflr    0
    std     0, REGISTERS_LR(1)
    mfctr   0
    std     0, REGISTERS_CTR(1)
    mfxer   0
    std     0, REGISTERS_XER(1)
    mfcr    0
    std     0, REGISTERS_CR(1)
    mfspr   0, VRSAVE
    std     0, REGISTERS_VRSAVE(1)
    mfspr   0, PPR
    std     0, REGISTERS_PPR(1)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    stfd    \n, (REGISTERS_FPR + 8*\n)(1)
    .endr
    mffs    0
    stfd    0, REGISTERS_FPSCR(1)
    .endm

    // The next upcall stores into the next page, and may come now.
    .macro enable
    addi    4, 1, BARE_PAGE
    std     4, DISPATCHER_STACK(13)
    li      4, 0
    stw     4, DISPATCHER_DISABLED(13)
    .endm

    .globl  bare_begin, bare_end
    .section .rodata.bare, "a"
    .balign 8
    // r1: the first page, r3: the CPU.
bare_begin:
    store_all
    mr      31, 3
    addi    3, 1, BARE_IMAGE
    li      0, SYS_PROCESS_REGISTER
    sc
    enable
    mr      3, 31
    li      4, 1
    li      0, SYS_DISPATCHER_KICK
    sc
1:  b       1b

    .org    bare_begin + BARE_UPCALL
    store_all
    cmpldi  3, EVENT_EXCEPTION
    beq     2f
    enable
    .long   0           // no instruction: the next upcall
2:  li      3, 0
    li      0, SYS_EXIT
    sc
bare_end:
