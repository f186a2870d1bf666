// SPDX-License-Identifier: MIT
// Stack walks by the unwind map of scripts/mktables.py. A caller's state is looked up at its call,
// the instruction before the return address: a call that never returns may be a function's last
// instruction.
#include <kernel/frame.h>
#include <kernel/memory.h>
#include <kernel/unwind.h>
#include <orrery/errors.h>

extern const u64 unwind_map_size;
extern const u8 unwind_map[]; // one byte an instruction
extern const char text_start[];

u8 unwind_state(u64 pc)
{
    u64 index = (pc - (u64)text_start) / 4; // huge when pc is below
    return index < unwind_map_size ? unwind_map[index] : 0;
}

static int read_word(u64 address, u64 *value)
{
    return safe_read_u64(value, (const u64 *)address);
}

// Is there an exception frame at sp (kernel/frame.h)? Its handler's back chain and the interrupted
// r1 agree, which what is left of a dead frame would not.
static bool at_exception_frame(u64 sp)
{
    u64 magic, chain, r1;
    return read_word(sp + FRAME_MAGIC, &magic) == 0 && magic == FRAME_MAGIC_VALUE &&
           read_word(sp, &chain) == 0 && read_word(sp + FRAME_GPR + 8, &r1) == 0 && chain == r1;
}

static int step_over_exception(struct unwind_position *position)
{
    u64 sp = position->sp;
    struct unwind_position caller = {.is_call = false};
    if (!at_exception_frame(sp))
        return E_NOENT;
    if (read_word(sp + FRAME_PC, &caller.pc) != 0 || read_word(sp, &caller.sp) != 0 ||
        read_word(sp + FRAME_LR, &caller.lr) != 0)
        return E_FAULT;
    *position = caller;
    return 0;
}

// Gets the return address of the function with this state, whose CFA is known.
static int return_address(const struct unwind_position *position, u8 state, u64 cfa, u64 *pc)
{
    if (state & UNWIND_LR_SAVED)
        return read_word(cfa + UNWIND_LR_HOME, pc);
    if (UNWIND_SELF(state) == UNWIND_SELF_LOW_LR)
        return read_word(cfa + (u64)UNWIND_LOW_LR_HOME, pc);
    *pc = position->is_call ? 0 : position->lr;
    return 0;
}

int unwind_step(struct unwind_position *position)
{
    u8 state = unwind_state(position->is_call ? position->pc - 4 : position->pc);
    if (!(state & UNWIND_KNOWN))
        return step_over_exception(position);
    u64 cfa = position->sp;
    u64 pc;
    if ((state & UNWIND_FRAME) && read_word(position->sp, &cfa) != 0)
        return E_FAULT;
    if (cfa < position->sp || (cfa & 7) != 0) // 0 ends the chain
        return cfa == 0 ? E_NOENT : E_FAULT;
    if (return_address(position, state, cfa, &pc) != 0)
        return E_FAULT;
    if (pc == 0)
        return E_NOENT;
    *position = (struct unwind_position){.pc = pc, .sp = cfa, .is_call = true};
    return 0;
}

static u32 walk(struct unwind_position *position, u64 *callers, u32 max)
{
    u32 count = 0;
    while (count < max && unwind_step(position) == 0)
        callers[count++] = position->pc;
    return count;
}

u32 stack_walk(u64 pc, u64 sp, u64 lr, u64 *callers, u32 max)
{
    struct unwind_position position = {.pc = pc, .sp = sp, .lr = lr};

    // A jump to nowhere, a call through a NULL pointer: what lr says has called.
    if ((pc - (u64)text_start) / 4 >= unwind_map_size && max > 0 && unwind_state(lr) != 0) {
        callers[0] = lr;
        position = (struct unwind_position){.pc = lr, .sp = sp, .is_call = true};
        return 1 + walk(&position, callers + 1, (max < UNWIND_MAX ? max : UNWIND_MAX) - 1);
    }
    return walk(&position, callers, max < UNWIND_MAX ? max : UNWIND_MAX);
}

// noipa: __builtin_frame_address(0) must be this function's own frame, and the caller's call a
// call.
__attribute__((noipa)) u32 stack_walk_here(u64 *callers, u32 max)
{
    struct unwind_position position = {
        .pc = (u64)__builtin_return_address(0),
        .sp = *(u64 *)__builtin_frame_address(0),
        .is_call = true,
    };
    return walk(&position, callers, max < UNWIND_MAX ? max : UNWIND_MAX);
}

u16 stack_exception(u64 sp)
{
    u64 chain, vector;

    for (u32 i = 0; i < UNWIND_MAX; i++) {
        if (at_exception_frame(sp))
            return read_word(sp + FRAME_VECTOR, &vector) == 0 ? (u16)vector : 0;
        if (read_word(sp, &chain) != 0 || chain <= sp)
            return 0;
        sp = chain;
    }
    return 0;
}
