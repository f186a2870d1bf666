// SPDX-License-Identifier: MIT
// Instructions that only the kernel may execute, each a routine of two words. What is an error in
// user mode on this machine and what has no effect there differs; none may do what it
// does in the kernel.
#include "function.inc"

    .macro try instruction:vararg
    \instruction
    blr
    .endm

    .machine push
    .machine power9
    .text
    .balign 8
first:
    try mfmsr   r3
    try mtmsr   r3
    try mtmsrd  r3
    try rfid
    try hrfid
    try mtsprg  0, r3
    try mfsprg  r3, 0
    try mfspr   r3, 26      // SRR0
    try mtspr   26, r3
    try mtspr   27, r3
    try mfspr   r3, 22      // DEC
    try mtspr   22, r3
    try mfspr   r3, 48      // PIDR
    try mtspr   48, r3
    try mtspr   318, r3     // LPCR
    try mfspr   r3, 318
    try mtspr   304, r3     // HSPRG0
    try mtspr   795, r3     // MMCR0, the privileged one
    try mtspr   286, r3     // TBU40 …
    try mtspr   284, r3     // TBL
    try mtspr   1023, r3    // PIR
    try mfspr   r3, 1023
    try mtspr   18, r3      // DSISR
    try mtspr   19, r3      // DAR
    try mtspr   29, r3      // AMR, the privileged one
    try mtspr   153, r3     // FSCR
    try mtspr   464, r3     // PTCR
    try tlbie   r3, r3, 0, 1, 1
    try tlbiel  r3, r3, 0, 1, 1
    try tlbsync
    try slbia
    try slbmte  r3, r4
    try slbie   r3
    try slbmfee r3, r4
    try msgsnd  r3
    try msgclr  r3
    try stop
    try .long   0x00000200  // attn
    try .long   0x00000000
    try .long   0x7c0004a6  // mfsr
    try .long   0x44000001  // scv 0
    try vxor    v0, v0, v0
    try xxlxor  vs0, vs0, vs0
    try vaddubm v0, v0, v0
    try lxvd2x  vs0, 0, r1
    try mfspr   r3, 3       // DSCR
    try mtspr   3, r3
    try mfspr   r3, 17      // DSCR, privileged
    try mfspr   r3, 128     // TFHAR
    try mtspr   130, r3     // TEXASR
    try mfspr   r3, 808     // reserved: no operation
    try mtspr   811, r3
    try mfspr   r3, 256     // VRSAVE
    try mfspr   r3, 769     // MMCR2 …, which user mode may not always read
    try mfspr   r3, 771
    try mtspr   771, r3     // PMC1
    try mtspr   779, r3     // MMCR0
    try mfspr   r3, 779
    try mfspr   r3, 780     // SIAR
    try mfspr   r3, 800     // BESCRS …
    try mtspr   804, r3     // EBBHR
    try mfspr   r3, 815     // TAR
    try mfspr   r3, 896     // PPR
    try mfspr   r3, 287     // PVR
    try mfspr   r3, 282     // EAR, gone
    try mfspr   r3, 1008    // HID0
    try mtspr   1008, r3
    try mfspr   r3, 1023
    try mfspr   r3, 999
    try mtspr   999, r3
    try .long   0x7c00051d  // tbegin.
    try .long   0x7c00055d  // tend.
    try .long   0x7c00071d  // tabort.
    try .long   0x4c000924  // rfebb
    try .long   0x4c0000a4  // rfscv
    try .long   0x44000021  // scv 1
    try .long   0x7c6005e6  // darn
    try .long   0x7c20060c  // copy
    try .long   0x7c20070d  // paste.
    try .long   0x7c00003c  // wait
    try .long   0x7c00011c  // msgsndp
    try icbi    0, r1
    try dcbz    0, r1
    try dcbf    0, r1
    try .long   0x7c0003ac  // dcbi
    try tlbia
    try eieio
    try ptesync
    try isync
    try or      31, 31, 31
    try or      7, 7, 7
    try trap
last:
    .machine pop

    .section .rodata
    .balign 8
    .globl  privileged_count
privileged_count:
    .long   (last - first) / 8

// void privileged_run(u64 index)
function privileged_run
    lis     r4, first@highest
    ori     r4, r4, first@higher
    sldi    r4, r4, 32
    oris    r4, r4, first@high
    ori     r4, r4, first@l
    sldi    r3, r3, 3
    add     r4, r4, r3
    li      r3, -1
    mtctr   r4
    bctr
end_function privileged_run
