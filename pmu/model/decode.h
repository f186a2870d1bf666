// SPDX-License-Identifier: MIT
// Describes an instruction, as far as the unit counts it (Power ISA 3.0B).
#ifndef MODEL_DECODE_H
#define MODEL_DECODE_H

#include <orrery/pmu_model.h>

// Kinds; an instruction may have several.
#define INSN_LOAD 1U  // transfers from memory to registers; load-and-reserve and atomic ones too
#define INSN_STORE 2U // to memory; store-conditional whether or not it stores, atomic ones, dcbz
#define INSN_LARX 4U  // load and reserve
#define INSN_STCX 8U  // store conditional
// May be interrupted before it completes, with others behind it in its block.
#define INSN_FAULTS 16U
#define INSN_BRANCH 32U  // conditional branch
#define INSN_JUMP 64U    // any branch; it always completes
#define INSN_RETURN 128U // returns from an interrupt
#define INSN_TLBIE 256U  // invalidates translations on all CPUs
#define INSN_TLBIEL 512U // on this CPU only
#define INSN_COMMAND 1024U

struct insn {
    u32 kinds;
    u32 hint;   // BRANCH: BO's at bits for branch_model_resolve, 0 if it has none
    u64 target; // BRANCH: where it goes if taken; INSN_TARGET_UNKNOWN: as a register says
    u32 a, b;   // COMMAND: number, rA; TLBIE, TLBIEL: rB, rS
};

#define INSN_TARGET_UNKNOWN (~3UL)

// Returns whether a word is a command of the unit: `twi 0,rA,MODEL_COMMAND | number`.
static inline bool is_command(u32 word)
{
    return (word & 0xffe0ff00) == (3U << 26 | MODEL_COMMAND);
}

struct insn decode(u32 word, u64 pc);

#endif
