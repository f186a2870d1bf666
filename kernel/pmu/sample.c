// SPDX-License-Identifier: MIT
// Takes a sample, in all cases.
#include "sample.h"

#include <co/object.h>
#include <kernel/memory.h>

#include "overflows.h"

// Collects return addresses, innermost first. It follows plain calls itself, quickly; from the
// first exception frame on the general walk does.
static inline __attribute__((always_inline)) u64 collect_callers(const struct pmu_cpu *cpu,
                                                                 const struct interrupted *code,
                                                                 u64 pc, u64 state, u64 *callers,
                                                                 u64 max)
{
    struct unwind_position position = {.pc = pc, .sp = code->sp, .lr = code->lr};
    u64 count = 0;
    while (count < max && (state & UNWIND_KNOWN)) {
        u64 caller = code->lr;
        if (state & UNWIND_FRAME)
            SAMPLE_LOAD("ld", position.sp, position.sp, 0);
        if (state & UNWIND_LR_SAVED)
            SAMPLE_LOAD("ld", caller, position.sp, UNWIND_LR_HOME);
        else if (UNWIND_SELF(state) == UNWIND_SELF_LOW_LR)
            SAMPLE_LOAD("ld", caller, position.sp, UNWIND_LOW_LR_HOME);
        else if (count != 0)
            return count; // the outermost frame
        if (caller == 0)
            return count;
        callers[count++] = position.pc = caller;
        position.is_call = true;
        SAMPLE_LOAD("lbz", state, cpu->map + caller / 4, -1);
    }
    while (count < max && unwind_step(&position) == 0)
        callers[count++] = position.pc;
    return count;
}

static inline __attribute__((always_inline)) void take_kernel(const struct pmu_cpu *cpu,
                                                              const struct interrupted *code,
                                                              u64 pc, u64 state, u64 callers,
                                                              struct sys_sample *sample)
{
    sample->flags |= sample_kernel_flags();
    sample->coid = sample_find_object(cpu, code, state, sample);
    sample->caller_count = (u16)collect_callers(cpu, code, pc, state, sample->callers, callers);
}

// The overflow came while the kernel returned from a system call, with interrupts off, so it
// belongs to the call. The rep is this CPU's of the Process object; the method is the one that runs
// system calls.
static void take_system_call(struct sys_sample *sample)
{
    extern const u64 system_call[]; // its descriptor, kernel/exception/user_entry.S
    sample->flags |= SYS_SAMPLE_KERNEL;
    sample->pc = system_call[0];
    sample->coid = *(const u64 *)((const char *)percpu() + percpu()->process);
}

static inline __attribute__((always_inline)) void take_user(const struct interrupted *code, u64 pc,
                                                            u64 callers, struct sys_sample *sample)
{
    const struct sys_process_image *image = process_image(process_current());
    u64 count = 0;
    if (sample_after_system_call(pc)) {
        take_system_call(sample);
        if (callers != 0)
            sample->callers[count++] = pc;
    } else {
        sample->coid = sample_find_user_object(image, code, pc);
    }
    if (count < callers)
        count += sample_user_callers(image, code, pc, sample->callers + count, callers - count);
    sample->caller_count = (u16)count;
}

// Each sample goes through here: this and what it calls is inline.
static inline __attribute__((always_inline)) void describe(const struct pmu_cpu *cpu,
                                                           const struct interrupted *code, u64 msr,
                                                           u64 state, u64 callers,
                                                           struct sys_sample *sample)
{
    if ((msr & SAMPLE_MSR_PR) == 0)
        take_kernel(cpu, code, sample->pc, state, callers, sample);
    else
        take_user(code, sample->pc, callers, sample);
}

void sample_describe(const struct interrupted *code, u64 msr, u64 state, u64 callers,
                     struct sys_sample *sample)
{
    describe(pmu_cpu(), code, msr, state, callers, sample);
}

static inline __attribute__((always_inline)) coid_t object_of(const struct sys_sample *sample)
{
    const struct co_rep *rep = (const struct co_rep *)sample->coid;
    u64 coid;
    if (!(sample->flags & SYS_SAMPLE_KERNEL))
        return sample->coid;
    return rep == NULL || safe_read_u64(&coid, &rep->coid) != 0 ? 0 : coid;
}

coid_t sample_object(const struct sys_sample *sample)
{
    return object_of(sample);
}

void sample_take(struct sample_buffer *buffer, const struct interrupted *code, u64 pc, u64 msr,
                 u64 state)
{
    struct pmu_cpu *cpu = pmu_cpu();
    u64 begin = timebase();
    u32 pid = percpu()->pid;
    struct sample_slot slot;
    if (__builtin_expect(cpu->tells != 0, 0))
        pid = overflow_tell(buffer, code, pc, msr, state);
    if (!sample_buffer_begin(buffer, &slot)) {
        trace_sample_lost(1);
        return;
    }
    struct sys_sample *sample = slot.sample;
    *sample = (struct sys_sample){.time = begin,
                                  .pc = pc,
                                  .pid = pid,
                                  .thread = sample_thread(),
                                  .flags = (u16)(buffer->turn << 8)};
    describe(cpu, code, msr, state, cpu->callers, sample);
    trace_sample(object_of(sample), pc, sample->thread, (u8)sample->flags);
    sample_buffer_commit(buffer, &slot);
    buffer->ticks += timebase() - begin;
}
