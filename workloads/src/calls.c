// SPDX-License-Identifier: MIT
// The workload calls of orrery/sys.h: one run of each workload at a time. A run goes free →
// starting → running → ended, and back to starting or free. Only the caller that wins the step to
// `starting` touches it.
#include <kernel/console.h>
#include <kernel/options.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "manager.h"
#include "registry.h"

#define SLOTS 16 // at least the number of workloads; ids of a slot are this far apart

#define START_POLL_US 200

enum slot_state { SLOT_FREE, SLOT_STARTING, SLOT_RUNNING, SLOT_ENDED };

struct slot {
    u32 state;
    u32 threads; // still working
    u32 waiting; // threads that have not arrived at the start
    s64 id;      // of the present or last run
    u64 began, ended;
    s32 result; // of the last run that has ended: `run` is emptied by a start that fails
    char command[sizeof(((struct sys_workload_run *)0)->command)];
    const struct workload *workload;
    struct workload_run run;
};

struct member {
    struct slot *slot;
    u32 cpu;
};

static struct slot slots[SLOTS];
static struct member members[SLOTS][ORRERY_MAX_CPUS];

void workload_report(struct workload_run *run, const char *format, ...)
{
    u64 room = sizeof(run->report) - run->report_length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(run->report + run->report_length, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (u64)length + 1 >= room) { // a line that does not fit is left out
        run->report[run->report_length] = '\0';
        run->result = E_LIMIT;
        return;
    }
    run->report_length += (u32)length;
    run->report[run->report_length++] = '\n';
    run->report[run->report_length] = '\0';
}

static bool calls_step(struct slot *slot, u32 from, u32 to)
{
    return __atomic_compare_exchange_n(&slot->state, &from, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

static void leave(struct slot *slot)
{
    if (__atomic_sub_fetch(&slot->threads, 1, __ATOMIC_ACQ_REL) != 0)
        return;
    slot->workload->finish(&slot->run);
    slot->result = slot->run.result;
    slot->ended = timebase();
    __atomic_store_n(&slot->state, SLOT_ENDED, __ATOMIC_RELEASE);
}

static void member_main(void *argument)
{
    const struct member *member = argument;
    struct slot *slot = member->slot;
    __atomic_fetch_sub(&slot->waiting, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&slot->waiting, __ATOMIC_ACQUIRE) != 0)
        thread_sleep(microseconds_to_ticks(START_POLL_US));
    slot->workload->work(&slot->run, member->cpu);
    leave(slot);
}

// Starts the threads. Does not wait for those that it cannot create: the run then ends at once with
// E_NOMEM.
static void launch(struct slot *slot)
{
    u64 cpus = slot->run.cpus;
    u32 missing = 0;
    slot->threads = (u32)__builtin_popcountll(cpus) + 1; // and this one
    slot->waiting = slot->threads;
    __atomic_store_n(&slot->state, SLOT_RUNNING, __ATOMIC_RELEASE);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        struct member *member = &members[slot - slots][cpu];
        *member = (struct member){slot, cpu};
        if ((cpus >> cpu & 1) == 0)
            continue;
        struct thread *thread =
            thread_create(slot->workload->name, member_main, member, cpu, PRIORITY_LOW);
        if (thread != NULL)
            thread_detach(thread);
        else
            missing++;
    }
    if (missing != 0) {
        slot->run.result = E_NOMEM;
        __atomic_store_n(&slot->run.stop, true, __ATOMIC_RELEASE);
    }
    __atomic_fetch_sub(&slot->waiting, missing + 1, __ATOMIC_ACQ_REL);
    for (u32 i = 0; i < missing + 1; i++)
        leave(slot);
}

static u32 calls_find(const char *name, size_t length)
{
    for (u32 i = 0; workload_at(i) != NULL; i++)
        if (strlen(workload_at(i)->name) == length &&
            memcmp(workload_at(i)->name, name, length) == 0)
            return i;
    return UINT32_MAX;
}

static void calls_release(struct slot *slot)
{
    workload_manager_remove(&slot->run);
    slot->workload->release(&slot->run);
}

// Claims the slot, releases what an ended run still held, and prepares the new run.
static s64 calls_start(struct slot *slot, const struct workload *workload, const char *command,
                       const struct workload_value values[])
{
    bool again = calls_step(slot, SLOT_ENDED, SLOT_STARTING);
    if (!again && !calls_step(slot, SLOT_FREE, SLOT_STARTING))
        return E_BUSY;
    if (again)
        calls_release(slot);
    slot->workload = workload;
    slot->run = (struct workload_run){.cpus = 1};
    memcpy(slot->run.values, values, sizeof(slot->run.values));
    if (workload->cpus_param != UINT32_MAX)
        slot->run.cpus = values[workload->cpus_param].numbers[0];
    s64 error = workload_manager_create();
    if (error == 0)
        error = workload->prepare(&slot->run);
    if (error != 0) {
        __atomic_store_n(&slot->state, SLOT_FREE, __ATOMIC_RELEASE);
        return error;
    }
    workload_manager_add(&slot->run);
    s64 id = slot->id == 0 ? slot - slots + 1 : slot->id + SLOTS;
    strlcpy(slot->command, command, sizeof(slot->command));
    slot->began = timebase();
    __atomic_store_n(&slot->id, id, __ATOMIC_RELEASE);
    launch(slot);
    return id;
}

s64 sys_workload_get(u32 index, struct sys_workload *workload)
{
    for (u32 i = 0; i <= index; i++)
        if (workload_at(i) == NULL)
            return E_NOENT;
    memset(workload, 0, sizeof(*workload));
    strlcpy(workload->name, workload_at(index)->name, sizeof(workload->name));
    strlcpy(workload->help, workload_at(index)->help, sizeof(workload->help));
    return 0;
}

s64 sys_workload_start(const char *command, char *message, u64 bytes)
{
    struct workload_value values[WORKLOAD_PARAMS_MAX] = {0};
    if (message == NULL || bytes == 0)
        return E_INVAL;
    message[0] = '\0';
    size_t length = strcspn(command, ":");
    u32 index = calls_find(command, length);
    if (index == UINT32_MAX) {
        snprintf(message, bytes, "no workload '%.*s'", length > 40 ? 40 : (int)length, command);
        return E_NOENT;
    }
    const char *parameters = command[length] == ':' ? command + length + 1 : "";
    int error = workload_parse(workload_at(index), parameters, values, message, bytes);
    if (error != 0)
        return error;
    KASSERT(index < SLOTS);
    s64 id = calls_start(&slots[index], workload_at(index), command, values);
    if (id < 0)
        snprintf(message, bytes, "%s: %s", workload_at(index)->name, orrery_strerror((long)id));
    return id;
}

static struct slot *slot_of(s64 id)
{
    struct slot *slot = id <= 0 ? NULL : &slots[(u64)(id - 1) % SLOTS];
    return slot != NULL && slot->id == id ? slot : NULL;
}

s64 sys_workload_stop(s64 id)
{
    struct slot *slot = slot_of(id);
    if (slot == NULL)
        return E_NOENT;
    __atomic_store_n(&slot->run.stop, true, __ATOMIC_RELEASE);
    if (calls_step(slot, SLOT_ENDED, SLOT_STARTING)) {
        calls_release(slot);
        __atomic_store_n(&slot->state, SLOT_FREE, __ATOMIC_RELEASE);
    }
    return 0;
}

s64 sys_workload_status(s64 id, struct sys_workload_status *status)
{
    const struct slot *slot = slot_of(id);
    if (slot == NULL)
        return E_NOENT;
    memset(status, 0, sizeof(*status));
    status->running = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == SLOT_RUNNING;
    if (!status->running) {
        status->result = slot->result;
        memcpy(status->report, slot->run.report, sizeof(status->report));
    }
    return 0;
}

// Copies a run. Returns false if it has begun or ended meanwhile: then the copy is of no run.
static bool copy_run(const struct slot *slot, struct sys_workload_run *run)
{
    u32 state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
    s64 id = __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);

    *run = (struct sys_workload_run){0};
    if (state == SLOT_STARTING)
        return true;
    run->id = id;
    run->running = state == SLOT_RUNNING;
    run->began = slot->began;
    if (!run->running) {
        run->result = slot->result;
        run->ended = slot->ended;
    }
    strlcpy(run->command, slot->command, sizeof(run->command));
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&slot->state, __ATOMIC_RELAXED) == state &&
           __atomic_load_n(&slot->id, __ATOMIC_RELAXED) == id;
}

s64 sys_workload_run_get(u32 index, struct sys_workload_run *run)
{
    for (u32 i = 0; i <= index; i++)
        if (workload_at(i) == NULL)
            return E_NOENT;
    while (!copy_run(&slots[index], run))
        continue;
    return 0;
}

void workload_start_at_boot(void)
{
    char message[240];
    if (boot_options.workload[0] == '\0')
        return;
    s64 id = sys_workload_start(boot_options.workload, message, sizeof(message));
    if (id > 0)
        return;
    kprintf("error: workload=: %s. Valid:\n", message);
    for (u32 i = 0; workload_at(i) != NULL; i++)
        kprintf("  %s: %s\n", workload_at(i)->name, workload_at(i)->help);
    power_off(1);
}
