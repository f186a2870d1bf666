// SPDX-License-Identifier: MIT
// Samples of user code: the walk of sample.h, over a process's own stack by its own unwind map.
// Each address is checked to be a user's before it is read, and each read may fail.
#include "sample.h"

#include <co/object.h>

#define SYSTEM_CALL 0x44000002 // sc

// One activation. known: state holds for it.
struct activation {
    u64 pc, sp, lr; // lr: the link register, while it has the return address
    u64 state;
};

static bool user_address(u64 address)
{
    return address >= USER_START && address < USER_END;
}

static u64 load(u64 address)
{
    u64 value = 0;
    if (user_address(address) && address % sizeof(u64) == 0)
        SAMPLE_LOAD("ld", value, address, 0);
    return value;
}

// Returns the map byte of the instruction at pc; 0 if there is none.
static u64 state_of(const struct sys_process_image *image, u64 pc)
{
    u64 state = 0;
    if (image->unwind_map == 0 || pc < image->text_start || pc >= image->text_end)
        return 0;
    u64 address = image->unwind_map + (pc - image->text_start) / 4;
    if (user_address(address))
        SAMPLE_LOAD("lbz", state, address, 0);
    return state;
}

static u64 caller_sp(const struct activation *activation)
{
    return activation->state & UNWIND_FRAME ? load(activation->sp) : activation->sp;
}

// Moves to the caller. Returns false at the outermost one, or where the stack makes no sense.
static bool user_sample_step(const struct sys_process_image *image, struct activation *activation)
{
    u64 state = activation->state, sp = caller_sp(activation), pc = activation->lr;
    if (!(state & UNWIND_KNOWN))
        return false;
    if (UNWIND_SELF(state) == UNWIND_SELF_LOW_LR)
        pc = load(sp + (u64)UNWIND_LOW_LR_HOME);
    else if (state & UNWIND_LR_SAVED)
        pc = load(sp + UNWIND_LR_HOME);
    if (pc == 0 || sp < activation->sp)
        return false;
    *activation = (struct activation){.pc = pc, .sp = sp, .state = state_of(image, pc - 4)};
    return true;
}

static coid_t claimed_by(u64 rep)
{
    coid_t coid = load(rep + offsetof(struct co_rep, coid));
    bool plausible = load(rep + offsetof(struct co_rep, magic)) == CO_REP_MAGIC &&
                     coid >= R13_LTT && coid < R13_COUNTS && coid % R13_LTT_ENTRY_SIZE == 0;
    return plausible ? coid : 0;
}

bool sample_after_system_call(u64 pc)
{
    u64 before = 0;
    if (user_address(pc - sizeof(u32)) && pc % sizeof(u32) == 0)
        SAMPLE_LOAD("lwz", before, pc, -4);
    return before == SYSTEM_CALL;
}

static struct activation innermost(const struct sys_process_image *image,
                                   const struct interrupted *code, u64 pc)
{
    return (struct activation){.pc = pc, .sp = code->sp, .lr = code->lr, state_of(image, pc)};
}

u64 sample_find_user_object(const struct sys_process_image *image, const struct interrupted *code,
                            u64 pc)
{
    struct activation activation = innermost(image, code, pc);
    u64 self = UNWIND_SELF(activation.state);
    if (self > UNWIND_SELF_IDLE && self != UNWIND_SELF_LOW_LR)
        return claimed_by(code->gpr[self]);
    for (u32 depth = 0; depth < SAMPLE_MAX_DEPTH; depth++) {
        if (UNWIND_SELF(activation.state) == UNWIND_SELF_HOMED)
            return claimed_by(load(caller_sp(&activation) + UNWIND_SELF_HOME));
        if (!user_sample_step(image, &activation))
            break;
    }
    return 0;
}

u64 sample_user_callers(const struct sys_process_image *image, const struct interrupted *code,
                        u64 pc, u64 *callers, u64 max)
{
    struct activation activation = innermost(image, code, pc);
    u64 count = 0;
    while (count < max && user_sample_step(image, &activation))
        callers[count++] = activation.pc;
    return count;
}
