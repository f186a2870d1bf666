// SPDX-License-Identifier: MIT
// Processes that the trace leaves out, so that a recorder does not record itself. A CPU that runs
// for one has its events take the slow path, which drops them (trace/src/append.c). So a process
// that is not left out pays nothing. Switches tell when: the scheduler's, and those of the fast
// path of calls, beside its event of the switch, or, without such events, in call.c.
#include "left_out.h"

#include <kernel/irq.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/process.h>
#include <kernel/wait.h>
#include <orrery/errors.h>
#include <trace/events.h>
#include <trace/platform.h>
#include <trace/ring.h>
#include <trace/trace.h>

#include "proc/dispatcher.h"
#include "proc/process.h"
#include "proc/thread.h"
#include "reader.h"

#define LEFT_OUT_MAX 16

static struct mutex mutex = MUTEX_INIT("left out of the trace", MUTEX_SERVICE); // of the next ones
static u32 pids[LEFT_OUT_MAX], count;

// ---- switches -----------------------------------------------------------------------------------

#define LEAVES_OUT 1UL
#define CALLS_UNTRACED 2UL // and the trace has no switches
static struct observer observer;

// Leaves out of the trace what this CPU logs, if the dispatcher (NULL: none) that runs is of a
// process that is left out. The fast path of calls does the same.
static void leave_out_here(const struct dispatcher *dispatcher)
{
    u64 state = trace_platform_mask();

    trace_ring_leave_out(trace_platform_this_cpu(), dispatcher != NULL && dispatcher->untraced);
    trace_platform_unmask(state);
}

static void leave_out_next(struct thread *from, struct thread *to, u64 now)
{
    (void)from;
    (void)now;
    leave_out_here(to->dispatcher);
}
HANDLES(switch, 4, leave_out_next, &observer, LEAVES_OUT | CALLS_UNTRACED);
// Behind the events of switches that the fast path of calls has.
FAST_HANDLED(fast_traced, 3, &observer, LEAVES_OUT);
FAST_HANDLED(fast_call, 4, &observer, LEAVES_OUT);
FAST_HANDLED(fast_answer, 4, &observer, LEAVES_OUT);

static void let_off_here(void *argument)
{
    (void)argument;
    leave_out_here(percpu()->dispatcher);
}

// On return every CPU acts by it.
static void set_untraced(struct process *process, bool untraced)
{
    spin_lock(&process->lock);
    process->untraced = untraced;
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (process->dispatchers[cpu] != NULL)
            process->dispatchers[cpu]->untraced = untraced;
    }
    spin_unlock(&process->lock);
    cpus_call(UINT64_MAX, let_off_here, NULL);
}

// ---- whom ---------------------------------------------------------------------------------------

static void follow(void)
{
    u64 untraced = trace_enabled(TRACE_MAJOR_SCHED) ? 0 : CALLS_UNTRACED;

    observer_wants(&observer, count > 0 ? LEAVES_OUT | untraced : 0);
}

void trace_left_out_follow(void)
{
    mutex_lock(&mutex);
    follow();
    mutex_unlock(&mutex);
}

static u32 place_of(u32 pid)
{
    u32 place = 0;

    while (place < count && pids[place] != pid)
        place++;
    return place;
}

static s64 add(u32 pid, struct process *process)
{
    if (count == LEFT_OUT_MAX)
        return E_LIMIT;
    if (process == NULL)
        return E_NOENT;
    pids[count++] = pid;
    follow();
    set_untraced(process, true);
    trace_state_left_out(pid, 1);
    return 0;
}

static void take_away(u32 place, struct process *process)
{
    if (process != NULL) // else it has ended
        set_untraced(process, false);
    trace_state_left_out(pids[place], 0);
    pids[place] = pids[--count];
}

// The last reference to a process may end it, which takes mutexes of this rank: so it is given back
// behind the mutex.
static s64 set_left_out(u32 pid, bool left_out)
{
    HELD(process) struct process *process = process_get(pid);
    s64 error = 0;

    mutex_lock(&mutex);
    u32 place = place_of(pid);
    if (left_out && place == count)
        error = add(pid, process);
    else if (!left_out && place < count)
        take_away(place, process);
    follow();
    mutex_unlock(&mutex);
    return error;
}

s64 trace_left_out_set(u32 pid, bool left_out)
{
    if (pid == 0)
        return E_INVAL;
    return trace_reader_is_caller() ? set_left_out(pid, left_out) : E_PERM;
}

// Returns 0 if there is none.
static u32 last_pid(void)
{
    mutex_lock(&mutex);
    u32 pid = count > 0 ? pids[count - 1] : 0;
    mutex_unlock(&mutex);
    return pid;
}

void trace_left_out_clear(void)
{
    u32 pid;

    while ((pid = last_pid()) != 0)
        set_left_out(pid, false);
}

void trace_left_out_tell(void)
{
    mutex_lock(&mutex);
    for (u32 i = 0; i < count; i++)
        trace_state_left_out(pids[i], 1);
    mutex_unlock(&mutex);
}
