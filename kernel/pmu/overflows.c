// SPDX-License-Identifier: MIT
// Tells processes of the overflows that hit them (S001 §4.2).
#include "overflows.h"

#include <kernel/irq.h>
#include <kernel/softmask.h>
#include <kernel/wait.h>
#include <orrery/errors.h>

#include "exception/user.h"
#include "power.h"
#include "proc/dispatcher.h"
#include "proc/overflow.h"
#include "sampler.h"

#define SYSTEM_CALL_BYTES 4

// ---- the handler --------------------------------------------------------------------------------

// Fills a record with what a process may know that may not see the kernel. Of its own code it knows
// where it entered the kernel. msr and pc: as interrupted.
static void hide(const struct dispatcher *hit, u64 pc, u64 msr, struct overflow_record *record)
{
    u64 place = (msr & SAMPLE_MSR_PR) != 0 ? pc : user_frame(hit)->pc;

    record->pc = sample_after_system_call(place) ? place - SYSTEM_CALL_BYTES : place;
    record->flags |= SYS_OVERFLOW_HIDDEN;
}

static void describe(const struct dispatcher *hit, const struct interrupted *code, u64 pc, u64 msr,
                     u64 state, struct overflow_record *record)
{
    u64 room[(sizeof(struct sys_sample) + sizeof(u64)) / sizeof(u64)]; // a sample with one caller
    struct sys_sample *sample = (struct sys_sample *)room;

    *sample = (struct sys_sample){.pc = pc};
    sample_describe(code, msr, state, 1, sample);
    record->flags = sample->flags & (SYS_SAMPLE_KERNEL | SYS_SAMPLE_SOFT_MASKED);
    if ((record->flags & SYS_SAMPLE_KERNEL) && !(process_rights(hit->process) & RIGHT_MONITOR)) {
        hide(hit, pc, msr, record);
        return;
    }
    record->pc = sample->pc;
    record->coid = sample_object(sample);
    record->caller = sample->caller_count != 0 ? sample->callers[0] : 0;
}

u32 overflow_tell(const struct sample_buffer *buffer, const struct interrupted *code, u64 pc,
                  u64 msr, u64 state)
{
    struct dispatcher *hit = percpu()->dispatcher;

    if (hit == NULL)
        return 0;
    struct overflow_record *record = overflow_begin(hit);
    if (record != NULL) {
        record->time = timebase();
        record->event = container_of(buffer, const struct sampler, buffer)->event;
        describe(hit, code, pc, msr, state, record);
        overflow_end(hit);
    }
    return hit->pid;
}

// ---- who is told --------------------------------------------------------------------------------

static struct {
    struct mutex mutex;
    u32 count;
    struct process *processes[SYS_OVERFLOW_PROCESSES]; // held
} notified = {.mutex = MUTEX_INIT("processes told of overflows", MUTEX_DEVICE)};

static void follow_here(void *argument)
{
    const bool *tells = argument;
    u64 msr = hard_mask();

    pmu_cpu()->tells = *tells;
    power_choose_way();
    hard_mask_restore(msr);
}

// Has all CPUs' handlers go by what has changed; those that went by what was before are over.
static void follow(void)
{
    bool tells = notified.count != 0;

    cpus_call(UINT64_MAX, follow_here, &tells);
}

static u32 place_of(const struct process *process)
{
    u32 place = 0;

    while (place < notified.count && notified.processes[place] != process)
        place++;
    return place;
}

static s64 add(s64 session, struct process *process)
{
    if (notified.count == SYS_OVERFLOW_PROCESSES)
        return E_LIMIT;
    // If it begins to end behind this, it takes itself out.
    if (process_ending(process))
        return E_NOENT;
    process_hold(process);
    notified.processes[notified.count++] = process;
    process_tell_overflows(process, session);
    return 0;
}

static void take_out(u32 place)
{
    struct process *process = notified.processes[place];

    notified.processes[place] = notified.processes[--notified.count];
    process_tell_overflows(process, 0);
    process_put(process);
}

s64 overflows_notify(s64 session, struct process *process, bool on)
{
    s64 error = 0;

    mutex_lock(&notified.mutex);
    u32 place = place_of(process);
    if (on && place == notified.count)
        error = add(session, process);
    else if (!on && place < notified.count)
        take_out(place);
    follow();
    mutex_unlock(&notified.mutex);
    return error;
}

void overflows_notify_nobody(void)
{
    mutex_lock(&notified.mutex);
    while (notified.count != 0)
        take_out(notified.count - 1);
    follow();
    mutex_unlock(&notified.mutex);
}

static void notified_ends(struct process *process)
{
    mutex_lock(&notified.mutex);
    u32 place = place_of(process);
    if (place < notified.count) {
        take_out(place);
        follow();
    }
    mutex_unlock(&notified.mutex);
}
PROCESS_END_HOOK(notified_ends);
