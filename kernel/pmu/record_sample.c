// SPDX-License-Identifier: MIT
// The walk of sample.h over a precise record. The record has the stack's words of its frames, and
// the unwind map says which of them matter. For user code, map and representative are read from the
// process, without waiting: they may be anything or missing.
#include <co/object.h>
#include <kernel/address_space.h>
#include <kernel/process.h>

#include "precise.h"
#include "sample.h"

// One activation; its stack pointer points at frames[frame].
struct walk {
    const struct model_record *record;
    struct process *process; // whose code it is, held; NULL: the kernel, or the process has ended
    u64 pc, state;
    u32 frame;
    bool user, innermost;
};

static u64 user_state(struct process *process, u64 pc)
{
    const struct sys_process_image *image = process_image(process);
    u8 state = 0;
    if (image->unwind_map == 0 || pc < image->text_start || pc >= image->text_end)
        return 0;
    u64 address = image->unwind_map + (pc - image->text_start) / 4;
    return space_peek(process_space(process), &state, address, 1) == 0 ? state : 0;
}

static u64 state_of(const struct walk *walk, u64 pc)
{
    if (!walk->user)
        return unwind_state(pc);
    return walk->process != NULL ? user_state(walk->process, pc) : 0;
}

// Returns the frame at the caller's stack pointer; MODEL_FRAMES: not in the record.
static u32 caller_frame(const struct walk *walk)
{
    u32 frame = walk->frame + (walk->state & UNWIND_FRAME ? 1 : 0);
    return frame < MODEL_FRAMES && walk->record->frames[frame].sp != 0 ? frame : MODEL_FRAMES;
}

// Moves to the caller. Returns false at the outermost one, and where the record ends.
static bool record_sample_step(struct walk *walk)
{
    u32 frame = caller_frame(walk);
    u64 pc = 0;
    if (frame == MODEL_FRAMES || !(walk->state & UNWIND_KNOWN) ||
        UNWIND_SELF(walk->state) == UNWIND_SELF_LOW_LR)
        return false;
    if (walk->state & UNWIND_LR_SAVED)
        pc = walk->record->frames[frame].lr;
    else if (walk->innermost)
        pc = walk->record->lr;
    if (pc == 0)
        return false;
    walk->pc = pc;
    walk->frame = frame;
    walk->innermost = false;
    walk->state = state_of(walk, pc - 4);
    return true;
}

// Returns the representative whose method runs, or 0 if there is none. *idle says whether the idle
// loop came first.
static u64 find_rep(struct walk walk, bool *idle)
{
    for (u32 depth = 0; depth < SAMPLE_MAX_DEPTH;
         depth++) { // a process's map may lead round in circles
        u64 self = UNWIND_SELF(walk.state);
        u32 frame = caller_frame(&walk);
        *idle = self == UNWIND_SELF_IDLE && !walk.user;
        if (self == UNWIND_SELF_HOMED)
            return frame < MODEL_FRAMES ? walk.record->frames[frame].self : 0;
        if (self > UNWIND_SELF_IDLE && self != UNWIND_SELF_LOW_LR && walk.innermost)
            return walk.record->gpr[self];
        if (*idle || !record_sample_step(&walk))
            break;
    }
    return 0;
}

static coid_t claimed_by(struct process *process, u64 rep)
{
    struct {
        coid_t coid;
        u64 magic;
    } head; // as in struct co_rep
    _Static_assert(offsetof(struct co_rep, magic) == offsetof(struct co_rep, coid) + sizeof(u64),
                   "");
    if (process == NULL || space_peek(process_space(process), &head,
                                      rep + offsetof(struct co_rep, coid), sizeof(head)) != 0)
        return 0;
    bool plausible = head.magic == CO_REP_MAGIC && head.coid >= R13_LTT && head.coid < R13_COUNTS &&
                     head.coid % R13_LTT_ENTRY_SIZE == 0;
    return plausible ? head.coid : 0;
}

// Returns a process's one kernel thread on a CPU, which lives as long as the process.
static u32 thread_on(struct process *process, u32 cpu)
{
    const struct dispatcher *dispatcher = process != NULL ? process_dispatcher(process, cpu) : NULL;
    return dispatcher != NULL ? dispatcher_thread_id(dispatcher) : 0;
}

void precise_sample(const struct model_record *record, u32 cpu, u32 callers,
                    struct sys_sample *sample)
{
    u32 pid = MODEL_TAG_PID(record->tag);
    // By the address, not by the record's MSR. If an interrupt came before the instruction's end
    // was seen, the MSR is the handler's.
    bool user = record->pc >= USER_START && record->pc < USER_END, idle = false;
    struct process *process = pid != 0 ? process_get(pid) : NULL;
    struct walk walk = {.record = record,
                        .process = user ? process : NULL,
                        .pc = record->pc,
                        .user = user,
                        .innermost = true};
    walk.state = state_of(&walk, record->pc + (record->flags & MODEL_RECORD_AFTER ? 4 : 0));
    u64 rep = find_rep(walk, &idle);
    *sample = (struct sys_sample){
        .time = timebase(),
        .coid = user ? claimed_by(process, rep) : rep,
        .pc = record->pc,
        .pid = pid,
        .thread = thread_on(process, cpu),
        .flags = (u16)((user ? 0 : SYS_SAMPLE_KERNEL) | (idle ? SYS_SAMPLE_IDLE : 0) |
                       PMU_LABEL_TURN(MODEL_LABEL_OF(record->flags)) << 8)};
    while (sample->caller_count < callers && record_sample_step(&walk))
        sample->callers[sample->caller_count++] = walk.pc;
    if (process != NULL)
        process_put(process);
}
