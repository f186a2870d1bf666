// SPDX-License-Identifier: MIT
// Page faults: from an address to its region, and waiting in the kernel where that is asked for.
#include "space.h"

#include "file.h"

#include <kernel/frame.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/thread.h>
#include <orrery/errors.h>
#include <orrery/user.h>
#include <trace/events.h>
#include <trace/reasons.h>

#define VECTOR_DATA_STORAGE 0x300
#define DSISR_STORE 0x02000000

// A thread that sleeps until its page is there.
struct sleeper {
    struct fault_wait wait;
    struct thread *thread;
    s64 status;
    volatile bool done;
};

static void fault_wake(struct fault_wait *wait, s64 status)
{
    struct sleeper *sleeper = (struct sleeper *)wait;
    struct thread *thread = sleeper->thread;

    sleeper->status = status;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    sleeper->done = true; // the sleeper may be gone from here on
    thread_unpark_for(thread, REASON_PAGE);
}

// Finds the range with an address. Faults come in runs, so the one of this CPU's last fault is
// tried first.
static inline const struct region_range *find_range(struct address_space *space, u64 address)
{
    return region_map_find_again(space_map(space), address, &space->cpu[cpu_id()].last_range);
}

static inline enum fault_result try_resolve(struct address_space *space, struct fault *fault)
{
    const struct region_range *range = find_range(space, fault->address);

    if (range == NULL || range->region->fcm == NULL || space->ending)
        return FAULT_BAD;
    s64 result = CO_CALL(struct region, range->region->root.coid, fault, fault);
    if (fault->pump != NULL) {
        file_pump(fault->pump);
        fault->pump = NULL;
    }
    if (result < 0) // the object could not be called
        return result == E_NOMEM ? FAULT_NO_MEMORY : FAULT_BAD;
    return (enum fault_result)result;
}

static __attribute__((noinline)) enum fault_result resolve_asleep(struct address_space *space,
                                                                  struct fault *fault)
{
    enum fault_result result;

    do {
        struct sleeper sleeper = {
            .wait.done = fault_wake, .wait.space = space, .thread = thread_current()};
        fault->wait = &sleeper.wait; // cppcheck-suppress autoVariables
        result = try_resolve(space, fault);
        if (result != FAULT_WAIT)
            break;
        while (!sleeper.done)
            thread_park_for(NO_DEADLINE, REASON_PAGE);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (sleeper.status != 0)
            result = FAULT_BAD;
    } while (result == FAULT_WAIT);
    fault->wait = NULL;
    return result;
}

enum fault_result space_resolve(struct address_space *space, struct fault *fault)
{
    space->cpu[cpu_id()].faults++;
    if (fault->wait == NULL)
        return resolve_asleep(space, fault);
    if (fault->wait != FAULT_TRY)
        fault->wait->space = space;
    return try_resolve(space, fault);
}

enum fault_result space_fault(struct address_space *space, u64 address, u32 access,
                              struct fault_wait *wait)
{
    struct fault fault = {
        .address = ALIGN_DOWN(address, PAGE_SIZE), .access = access, .wait = wait};

    return space_resolve(space, &fault);
}

bool space_kernel_fault(const struct frame *frame)
{
    struct process *process = process_current();

    if (process == NULL || frame->vector != VECTOR_DATA_STORAGE || frame->soft_masked)
        return false;
    if (frame->dar < USER_START || frame->dar >= USER_END)
        return false;
    u32 access = frame->dsisr & DSISR_STORE ? PROT_W : PROT_R;
    trace_fault_enter(frame->dar, access);
    HAPPENS(fault, frame->dar, access);
    enum fault_result result = space_fault(process_space(process), frame->dar, access, NULL);
    trace_fault_exit(frame->dar, result);
    return result == FAULT_RESOLVED;
}
