// SPDX-License-Identifier: MIT
// Stack walks that are exact at every instruction, prologues and epilogues included. They use the
// unwind map, one byte a text instruction, which scripts/mktables.py builds into the image. All
// reads of the walked stack are fault-safe. Any context, PMI included; no lock.
#ifndef KERNEL_UNWIND_H
#define KERNEL_UNWIND_H

#include <orrery/types.h>

// The map's byte describes the state just before an instruction executes. CFA is the caller's stack
// pointer.
#define UNWIND_FRAME 0x01    // the function's frame is pushed: CFA is *(u64 *)sp; else it is sp
#define UNWIND_LR_SAVED 0x02 // the return address is at CFA + 16; else in the link register
#define UNWIND_KNOWN 0x04    // the two above are known: false in exception entry and in padding
#define UNWIND_SELF(state) ((state) >> 3) // where a CO method's object is:
#define UNWIND_SELF_NONE 0                // not a method, or the object is lost
#define UNWIND_SELF_HOMED 1               // at CFA + UNWIND_SELF_HOME
#define UNWIND_SELF_IDLE 2                // not a method: the idle loop
#define UNWIND_SELF_LOW_LR 13 // not a method: return address at CFA + UNWIND_LOW_LR_HOME
// other values: still in that general register (3 at the method's entry)
#define UNWIND_STATE(self) ((self) << 3 | 7) // the greatest state with that SELF

#define UNWIND_SELF_HOME 48
#define UNWIND_LR_HOME 16
#define UNWIND_LOW_LR_HOME (-400L) // of code that may be called while CFA + 16 is in use (trace)

// One activation of a function.
struct unwind_position {
    u64 pc; // next instruction, or for a caller its return address
    u64 sp;
    u64 lr;       // the link register; used only if pc's function has not saved it
    bool is_call; // pc is a return address
};

// Returns the map byte of the instruction at pc; 0 outside of the kernel's text.
u8 unwind_state(u64 pc);

// Replaces *position by its caller's, whose lr is unknown (0). An exception entry counts as a call:
// its caller is the interrupted instruction, with its lr. Returns 0; E_NOENT at the outermost
// frame; E_FAULT if the stack is damaged. On an error *position is unchanged.
int unwind_step(struct unwind_position *position);

// Stores the call chain of the code at pc, with stack pointer sp and link register lr: at most max
// (<= UNWIND_MAX) return addresses, innermost first, without pc itself. An exception frame on the
// way adds its interrupted pc. Returns how many.
#define UNWIND_MAX 64
u32 stack_walk(u64 pc, u64 sp, u64 lr, u64 *callers, u32 max);

// Does the same for its caller: the first address is its own return address.
u32 stack_walk_here(u64 *callers, u32 max);

// Returns the vector of the innermost exception that is open on a stack with this stack pointer; 0:
// none.
u16 stack_exception(u64 sp);

#endif
