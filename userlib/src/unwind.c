// SPDX-License-Identifier: MIT
// The unwind map: one byte an instruction says where the caller's frame and the return address are.
#include "exception.h"

#define FRAME 0x01    // a frame is pushed: the caller's stack pointer is *sp; else it is sp
#define LR_SAVED 0x02 // the return address is at the caller's stack pointer + 16; else in lr
#define KNOWN 0x04
#define SELF_LOW_LR 13 // return address at the caller's stack pointer - 400
#define LR_HOME 16
#define LOW_LR_HOME (-400)

extern const u64 unwind_map_size;
extern const u8 unwind_map[];
extern const u8 text_start[];

struct position {
    u64 pc, sp, lr;
    bool is_call;
};

static bool in_text(u64 pc)
{
    return pc >= (u64)text_start && (pc - (u64)text_start) / 4 < unwind_map_size;
}

static u8 map_byte(u64 pc)
{
    return in_text(pc) ? unwind_map[(pc - (u64)text_start) / 4] : 0;
}

static bool read_stack(const struct thread *thread, u64 address, u64 *value)
{
    if (address & 7 || address < thread->stack_low || address > thread->stack_high - 8)
        return false;
    *value = *(const u64 *)address;
    return true;
}

// Steps to the caller of position. Returns false at the end, or if the stack is damaged.
static bool step(const struct thread *thread, struct position *position)
{
    u8 state = map_byte(position->pc - (position->is_call ? 4 : 0));
    u64 caller_sp = position->sp, pc = position->lr;
    if (!(state & KNOWN))
        return false;
    if (state & FRAME && !read_stack(thread, position->sp, &caller_sp))
        return false;
    if (state >> 3 == SELF_LOW_LR) {
        if (!read_stack(thread, caller_sp + (u64)LOW_LR_HOME, &pc))
            return false;
    } else if (state & LR_SAVED && !read_stack(thread, caller_sp + LR_HOME, &pc)) {
        return false;
    }
    if (caller_sp < position->sp || !pc)
        return false;
    *position = (struct position){.pc = pc, .sp = caller_sp, .is_call = true};
    return true;
}

static u32 walk(const struct thread *thread, struct position position, u64 *callers, u32 max)
{
    u32 count = 0;
    while (count < max && step(thread, &position))
        callers[count++] = position.pc;
    return count;
}

u32 unwind_thread(const struct thread *thread, u64 *callers, u32 max)
{
    const struct user_state *state = &thread->state;
    struct position position = {.pc = state->pc, .sp = state->gpr[1], .lr = state->lr};

    // A jump to nowhere, a call through a NULL pointer: what lr says has called.
    if (!in_text(state->pc) && max > 0 && map_byte(state->lr) != 0) {
        callers[0] = state->lr;
        position = (struct position){.pc = state->lr, .sp = state->gpr[1], .is_call = true};
        return 1 + walk(thread, position, callers + 1, max - 1);
    }
    return walk(thread, position, callers, max);
}

// Walks from its own frame on, which is the innermost. The first return address behind it is the
// caller's.
__attribute__((noinline)) u32 user_stack_walk_here(u64 *callers, u32 max)
{
    const struct thread *thread = thread_current();
    struct position here = {.is_call = false};
    __asm__ volatile("   bcl 20,31,1f\n"
                     "1: mflr %0\n"
                     "   mr %1,1"
                     : "=r"(here.pc), "=r"(here.sp)
                     :
                     : "lr");
    return step(thread, &here) ? walk(thread, here, callers, max) : 0;
}

u32 user_stack_walk(const struct user_state *state, u64 *callers, u32 max)
{
    const struct thread *thread =
        (const struct thread *)((const char *)state - offsetof(struct thread, state));
    return unwind_thread(thread, callers, max);
}
