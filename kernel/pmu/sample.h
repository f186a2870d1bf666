// SPDX-License-Identifier: MIT
// Takes one sample: finds the object (docs/pmu.md) and writes the record. For the interrupt
// handlers of units. The fast path is inline and calls nothing, so a handler that takes it is a
// leaf function without a frame: it has a budget (bench/budgets.json).
#ifndef KERNEL_PMU_SAMPLE_H
#define KERNEL_PMU_SAMPLE_H

#include <kernel/frame.h>
#include <kernel/percpu.h>
#include <kernel/pmu_cpu.h>
#include <kernel/process.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <kernel/unwind.h>
#include <orrery/sys.h>
#include <pmu/sample_buffer.h>
#include <trace/events.h>

// The interrupted code.
struct interrupted {
    u64 sp; // r1
    u64 callee_area[13];
    u64 gpr[32]; // 0, 3…12 always; 14…31 when the object is in one of them (UNWIND_SELF)
    u64 lr;
};

#define SAMPLE_MAX_DEPTH 16
#define SAMPLE_MSR_PR 0x4000

static inline struct interrupted interrupted_of(const struct frame *frame)
{
    struct interrupted code = {.sp = frame->gpr[1], .lr = frame->lr};
    for (u32 i = 0; i < ARRAY_SIZE(code.gpr); i++)
        code.gpr[i] = frame->gpr[i];
    return code;
}

// Returns the calling CPU's block.
static inline struct pmu_cpu *pmu_cpu(void)
{
    return (struct pmu_cpu *)percpu()->pmu;
}

// Loads a word of the interrupted stack, or a byte of the map; 0 when there is no memory.
#define SAMPLE_LOAD(instruction, value, base, offset)                                              \
    __asm__(instruction " %0,%c2(%1)\n"                                                            \
                        "2:\n"                                                                     \
                        ".pushsection .text.fixup,\"ax\",@progbits\n"                              \
                        "3: li %0,0\n"                                                             \
                        "b 2b\n"                                                                   \
                        ".popsection\n"                                                            \
                        ".pushsection .fixups,\"a\",@progbits\n"                                   \
                        ".quad 2b-4,3b\n"                                                          \
                        ".popsection"                                                              \
            : "=r"(value)                                                                          \
            : "b"(base), "i"(offset)                                                               \
            : "memory")

static inline u32 sample_thread(void)
{
    return *(const u32 *)((const char *)percpu()->current + THREAD_ID_OFFSET);
}

static inline u16 sample_kernel_flags(void)
{
    return (u16)(SYS_SAMPLE_KERNEL + percpu()->soft_masked * SYS_SAMPLE_SOFT_MASKED);
}

// Finds the object whose method runs: that of the innermost frame with a known one. The search ends
// where an interrupt's handler begins, because the interrupted object does not do that work.
// Returns its representative, or 0 if there is none. Marks the sample if the idle loop came first.
static inline __attribute__((always_inline)) u64 sample_find_object(const struct pmu_cpu *cpu,
                                                                    const struct interrupted *code,
                                                                    u64 state,
                                                                    struct sys_sample *sample)
{
    u64 sp = code->sp;
    u64 pc = code->lr;
    if (__builtin_expect(state > UNWIND_STATE(UNWIND_SELF_IDLE), 0) &&
        UNWIND_SELF(state) != UNWIND_SELF_LOW_LR)
        return code->gpr[UNWIND_SELF(state)];
    if (!(state & UNWIND_LR_SAVED) && state <= UNWIND_STATE(UNWIND_SELF_NONE)) {
        if (!(state & UNWIND_KNOWN))
            return 0;
        if (state & UNWIND_FRAME)
            SAMPLE_LOAD("ld", sp, sp, 0);
        SAMPLE_LOAD("lbz", state, cpu->map + pc / 4, -1);
    }
    for (u32 depth = 0; depth < SAMPLE_MAX_DEPTH; depth++) {
        if (state & UNWIND_FRAME)
            SAMPLE_LOAD("ld", sp, sp, 0);
        if (state > UNWIND_STATE(UNWIND_SELF_NONE)) {
            u64 object;
            if (state <= UNWIND_STATE(UNWIND_SELF_HOMED)) {
                SAMPLE_LOAD("ld", object, sp, UNWIND_SELF_HOME);
                return object;
            }
            if (state <= UNWIND_STATE(UNWIND_SELF_IDLE))
                sample->flags |= SYS_SAMPLE_IDLE;
            if (UNWIND_SELF(state) != UNWIND_SELF_LOW_LR)
                break;
            SAMPLE_LOAD("ld", pc, sp, UNWIND_LOW_LR_HOME);
        } else {
            if (!(state & UNWIND_LR_SAVED))
                break;
            SAMPLE_LOAD("ld", pc, sp, UNWIND_LR_HOME);
        }
        SAMPLE_LOAD("lbz", state, cpu->map + pc / 4, -1); // of the call
    }
    return 0;
}

// Handles the common case: kernel code, no callers wanted, no larger ring on offer, not traced.
// Returns false if it did nothing: then sample_take must. Context: as there.
static inline __attribute__((always_inline)) bool
sample_try(struct pmu_cpu *cpu, const struct interrupted *code, u64 pc, u64 msr, u64 state)
{
    u64 begin = timebase();
    struct sample_buffer *buffer = cpu->quick;
    struct sample_slot slot;
    TRACE_POINT(TRACE_MAJOR_PMU, traced);
    if (buffer == NULL || __builtin_expect((msr & SAMPLE_MSR_PR) != 0, 0) ||
        sample_buffer_offered(buffer))
        return false;
    if (!sample_buffer_quick(buffer, &slot))
        return true;
    slot.sample->time = begin;
    slot.sample->pc = pc;
    slot.sample->pid = percpu()->pid;
    slot.sample->thread = sample_thread();
    slot.sample->flags = sample_kernel_flags();
    slot.sample->caller_count = 0;
    slot.sample->coid = sample_find_object(cpu, code, state, slot.sample);
    sample_buffer_commit(buffer, &slot);
    buffer->ticks += timebase() - begin;
    return true;
traced:
    return false;
}

// Finds the object whose method user code of this CPU's process executes. Returns the COID that its
// rep claims, or 0 if there is none. Everything it reads is the process's, and may be anything or
// missing. PMI handler, with the process's address space in force.
u64 sample_find_user_object(const struct sys_process_image *image, const struct interrupted *code,
                            u64 pc);
// Returns whether the instruction before pc is a system call. User code is interrupted there only
// if the interrupt was pending when the kernel returned.
bool sample_after_system_call(u64 pc);
// Collects at most max return addresses of user code, innermost first. Returns how many.
u64 sample_user_callers(const struct sys_process_image *image, const struct interrupted *code,
                        u64 pc, u64 *callers, u64 max);

// Fills in what the interrupted code tells of a sample whose pc is set, with at most this many
// callers. Context and state: as sample_take.
void sample_describe(const struct interrupted *code, u64 msr, u64 state, u64 callers,
                     struct sys_sample *sample);
// Returns the COID of a sample. A kernel sample has a representative instead: then it is the COID
// that this claims, or 0 if it cannot be read. The reader validates it.
coid_t sample_object(const struct sys_sample *sample);

// Records a sample in a buffer of this CPU. state is the unwind map's byte for pc, 0 if pc is not
// in the kernel. Only from an interrupt handler with MSR[EE] off, while a session has the buffer.
void sample_take(struct sample_buffer *buffer, const struct interrupted *code, u64 pc, u64 msr,
                 u64 state);

#endif
