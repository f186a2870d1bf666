// SPDX-License-Identifier: MIT
// Threads as the performance monitor sees them: who runs (pmu/task_points.h), and whom it leaves
// out. Whose malloc is counted.
#include <kernel/address_space.h>
#include <kernel/irq.h>
#include <kernel/model_unit.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <orrery/errors.h>

#include "annex.h"
#include "dispatcher.h"
#include "mem/failing.h"
#include "pmu/task_points.h"
#include "process.h"
#include "thread.h"

// ---- malloc -------------------------------------------------------------------------------------

// Under the lock, so that of several at once the last one tells what is true then.
static void count_heap(struct process *process)
{
    spin_lock(&process->lock);
    bool counted = memory_heap_counted(process->pid);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct dispatcher *dispatcher = process_dispatcher(process, cpu);
        if (dispatcher != NULL)
            dispatcher->page->heap_counted = counted;
    }
    spin_unlock(&process->lock);
}

void processes_count_heap(void)
{
    u64 place = 0;
    struct process *process;

    while ((process = annex_next(&place)) != NULL) {
        count_heap(process);
        process_put(process);
    }
}

// ---- tasks --------------------------------------------------------------------------------------

static struct pmu_task task_of(const struct thread *thread)
{
    const struct dispatcher *dispatcher = thread->dispatcher;
    struct pmu_task task = {
        .thread = thread->id, .idle = thread->priority == PRIORITY_IDLE, .name = thread->name};

    // Of a thread that has ended its process may be gone.
    if (dispatcher == NULL || thread->state == THREAD_ENDED)
        return task;
    task.pid = dispatcher->pid;
    task.process = dispatcher->process->name;
    task.window = (struct user_counters *)((char *)dispatcher->page - R13_HOST + R13_PMU);
    return task;
}

struct observer tasks_counted;

// Tag and task change at different places of a switch, and an excluded process has no part in what
// lies between. So the tag changes before the counts when one comes, and after them when one goes.
static void tell_tasks(struct thread *from, struct thread *to, u64 now)
{
    struct pmu_task before = task_of(from), after = task_of(to);
    u64 owner = to->dispatcher != NULL ? to->dispatcher->tag & ~MODEL_TAG_SPACE : 0;

    (void)now;
    if (owner & MODEL_TAG_EXCLUDED)
        model_set_tag((model_tag() & MODEL_TAG_SPACE) | owner);
    pmu_task_switch(&before, &after);
}
HANDLES(switch, 2, tell_tasks, &tasks_counted, 1);

void pmu_task_current(struct pmu_task *task)
{
    *task = task_of(percpu()->current);
}

// ---- exclusion ----------------------------------------------------------------------------------

// Refreshes the CPU's tag, if the process runs here at this moment.
static void refresh(void *argument)
{
    const struct process *process = argument;
    u64 tag = model_tag();

    if (MODEL_TAG_PID(tag) == MODEL_TAG_PID(MODEL_TAG_OF_PID(process->pid)))
        model_set_tag((tag & MODEL_TAG_SPACE) | (space_tag(process->space) & ~MODEL_TAG_SPACE));
}

s64 process_set_excluded(u32 pid, bool excluded)
{
    struct process *process = process_get(pid);

    if (process == NULL)
        return E_NOENT;
    spin_lock(&process->lock);
    space_set_owner(process->space,
                    MODEL_TAG_OF_PID(process->pid) | (excluded ? MODEL_TAG_EXCLUDED : 0));
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (process->dispatchers[cpu] != NULL)
            __atomic_store_n(&process->dispatchers[cpu]->tag, space_tag(process->space),
                             __ATOMIC_RELAXED);
    }
    spin_unlock(&process->lock);
    cpus_call(UINT64_MAX, refresh, process);
    process_put(process);
    return 0;
}
