// SPDX-License-Identifier: MIT
// Reads the counts of a CPU and of its tasks: copies, while the CPU continues.
#include <kernel/memory.h>
#include <kernel/process.h>
#include <kernel/thread.h>
#include <orrery/errors.h>
#include <string.h>

#include "counting_session.h"
#include "sums.h"

#define CHUNK 32 // tasks copied at once, with interrupts held back

static struct sys_pmu_wide wide(pmu_wide sum)
{
    return (struct sys_pmu_wide){.high = (u64)(sum >> 64), .low = (u64)sum};
}

static void copy_counts(const struct counting_plan *plan, const struct pmu_multiplex *multiplex,
                        struct sys_pmu_count *counts)
{
    for (u32 i = 0; i < plan->items; i++) {
        const struct pmu_sums *sums = &multiplex->item[plan->place[i]];
        counts[i] = (struct sys_pmu_count){.count = sums->count,
                                           .measured = sums->time,
                                           .total = multiplex->time,
                                           .slices = sums->slices,
                                           .time_squares = wide(sums->time_squares),
                                           .count_squares = wide(sums->count_squares),
                                           .products = wide(sums->products)};
    }
}

// ---- a CPU --------------------------------------------------------------------------------------

struct sums {
    const struct counting_session *session;
    u32 cpu;
    struct pmu_multiplex *to;
};

static const struct pmu_tally *tally_of(const struct counting_session *session, u32 cpu)
{
    return &session->claimed.tally[cpu];
}

static void copy_sums_here(void *argument)
{
    const struct sums *sums = argument;
    const struct pmu_multiplex *from = tally_of(sums->session, sums->cpu)->sums;

    if (sums->session->claimed.running)
        engine_flush_here();
    memcpy(sums->to, from, PMU_MULTIPLEX_BYTES(from->items));
}

s64 counting_read_cpu(const struct counting_session *session, u32 cpu, struct sys_pmu_count *counts)
{
    const struct counting_plan *plan = &session->plan;
    struct sums sums = {.session = session,
                        .cpu = cpu,
                        .to = kmalloc(PMU_MULTIPLEX_BYTES(plan->claim.request.items))};

    if (sums.to == NULL)
        return E_NOMEM;
    sums_read(&session->claimed, cpu, copy_sums_here, &sums);
    s64 error = tally_of(session, cpu)->error;
    if (error == 0)
        copy_counts(plan, sums.to, counts);
    kfree(sums.to);
    return error != 0 ? error : (s64)(plan->items * sizeof(*counts));
}

// ---- its tasks ----------------------------------------------------------------------------------

struct copy {
    const struct counting_session *session;
    u32 cpu;
    u32 first, count;
    u32 wanted;
    char *to;
};

// Copies the wanted tasks that exist. Before the very first one, ends the CPU's slice. Tasks that
// came later are in the next reading.
static void copy_here(void *argument)
{
    struct copy *copy = argument;
    const struct task_table *table = tally_of(copy->session, copy->cpu)->tasks;

    if (copy->first == 0 && copy->session->claimed.running)
        engine_flush_here();
    while (copy->count < copy->wanted && copy->first + copy->count < table->counted) {
        memcpy(copy->to + copy->count * table->task_bytes,
               task_table_get(table, copy->first + copy->count), table->task_bytes);
        copy->count++;
    }
}

// Returns whether a task has ended. A thread ends with its process, even while work in its name is
// left.
static bool has_ended(const struct counted_task *task)
{
    if (task->flags != 0)
        return false;
    if (task->thread != 0 && !thread_exists(task->thread))
        return true;
    if (task->pid == 0)
        return false;
    struct process *process = process_get(task->pid);
    bool ended = process == NULL || process_ending(process);
    if (process != NULL)
        process_put(process);
    return ended;
}

static void write_record(const struct counting_plan *plan, const struct counted_task *task,
                         struct sys_pmu_task *to, u64 bytes)
{
    to->pid = task->pid;
    to->thread = task->thread;
    to->record_bytes = (u32)bytes;
    to->flags = task->flags | (has_ended(task) ? SYS_PMU_TASK_ENDED : 0);
    memcpy(to->name, task->name, sizeof(to->name));
    copy_counts(plan, counted_task_sums(task), to->counts);
}

s64 counting_read_tasks(const struct counting_session *session, u32 cpu, u64 *cursor, void *buffer,
                        u64 bytes)
{
    const struct counting_plan *plan = &session->plan;
    const struct pmu_tally *tally = tally_of(session, cpu);
    u64 record = sizeof(struct sys_pmu_task) + plan->items * sizeof(struct sys_pmu_count);
    u64 fit = bytes / record < CHUNK ? bytes / record : CHUNK;

    if (fit == 0 || *cursor > TASKS_MAX)
        return E_INVAL;
    struct copy copy = {.session = session, .cpu = cpu, .first = (u32)*cursor, .wanted = (u32)fit};
    copy.to = kmalloc(fit * tally->tasks->task_bytes);
    if (copy.to == NULL)
        return E_NOMEM;
    sums_read(&session->claimed, cpu, copy_here, &copy);
    for (u32 i = 0; i < copy.count && tally->error == 0; i++)
        write_record(plan, (const struct counted_task *)(copy.to + i * tally->tasks->task_bytes),
                     (struct sys_pmu_task *)((char *)buffer + i * record), record);
    kfree(copy.to);
    if (tally->error != 0)
        return tally->error;
    *cursor += copy.count;
    return (s64)(copy.count * record);
}
