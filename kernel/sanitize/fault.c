// SPDX-License-Identifier: MIT
// Handles looks at the shadow of an address that has none: of a NULL or wild pointer, or one of
// user space. The check in the code knows size and direction of the access. So it goes on with
// poison as what it has found, and reports.
#include <kernel/frame.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/sanitize.h>

#include "shadow.h"

#define OPCODE_LBZ 34
#define OPCODE_LHZ 40
#define OPCODE_LD 58
#define OPCODE_31 31
#define EXTENDED_LDX 21
#define EXTENDED_LBZX 87
#define EXTENDED_LHZX 279

extern const char text_start[], text_end[];

static bool is_load(u32 instruction)
{
    u32 opcode = instruction >> 26, extended = instruction >> 1 & 0x3ff;

    return opcode == OPCODE_LBZ || opcode == OPCODE_LHZ ||
           (opcode == OPCODE_LD && (instruction & 3) == 0) ||
           (opcode == OPCODE_31 &&
            (extended == EXTENDED_LDX || extended == EXTENDED_LBZX || extended == EXTENDED_LHZX));
}

bool sanitize_fault(struct frame *frame)
{
    // Below the kernel's addresses, or where the shadow of its guards and of what it never uses
    // would be.
    if (frame->dar < SANITIZE_SHADOW_OFFSET || frame->dar >= PERCPU_WINDOW_BASE ||
        frame->pc < (u64)text_start || frame->pc >= (u64)text_end)
        return false;
    u32 instruction = *(const u32 *)frame->pc;
    if (!is_load(instruction))
        return false;
    frame->gpr[instruction >> 21 & 31] = UINT64_MAX; // poison for any check
    frame->pc += 4;
    return true;
}
