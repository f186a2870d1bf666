// SPDX-License-Identifier: MIT
// Logs the present state as events, so that a recording is complete: things made before it began
// have a name and a class too. Only the kernel's objects; readers ask processes for theirs.
#include <co/manager.h>
#include <kernel/memory.h>
#include <kernel/percpu.h>
#include <kernel/process.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <trace/events.h>
#include <trace/platform.h>
#include <trace/trace.h>

#include "left_out.h"
#include "manager.h"
#include "proc/dispatcher.h"
#include "proc/thread.h"

#define SCAN_BYTES 0x10000
#define STATE_ASKS 4 // of a thread (state.def)

struct threads {
    const struct thread *asker;
    u64 count;
};

// Logs the threads of this CPU. Only here their states are known.
static void tell_threads_here(struct trace_cpu *cpu, void *argument)
{
    struct threads *threads = argument;
    struct thread_summary thread;
    u32 cursor = 0;

    (void)cpu;
    while (thread_table_next(&cursor, cpu_id(), &thread)) {
        bool asks = thread.id == threads->asker->id;
        trace_state_thread(thread.id, thread.coid, thread.cpu, thread.priority,
                           asks ? STATE_ASKS : thread.state, thread.kernel, thread.exception);
        if (thread.awaits != 0)
            trace_state_lock(thread.awaits, thread.id, thread.owner);
        threads->count++;
    }
}

static u64 tell_threads(void)
{
    struct threads threads = {.asker = thread_current()};
    struct thread_summary thread;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        trace_platform_on_cpu(cpu, tell_threads_here, &threads);
        for (u32 cursor = 0; thread_table_next(&cursor, cpu, &thread);)
            trace_thread_name(thread.id, thread.name);
    }
    return threads.count;
}

static void tell_dispatchers(u32 pid)
{
    struct process *process = process_get(pid);

    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS && process != NULL; cpu++) {
        const struct dispatcher *dispatcher = process_dispatcher(process, cpu);
        if (dispatcher == NULL || dispatcher->ended)
            continue;
        u64 waits = !dispatcher->asleep ? 0 : dispatcher->waiting == DISPATCHER_CALLS ? 2 : 1;
        trace_state_dispatcher(pid, dispatcher->thread_id, cpu, waits);
    }
    if (process != NULL)
        process_put(process);
}

static u64 tell_processes(void)
{
    struct sys_process_info process;
    u64 cursor = 0, count = 0;

    for (; sys_process_list(&cursor, &process, sizeof(process)) > 0; count++) {
        trace_state_process(process.pid, process.parent, process.object, process.state,
                            process.start_time);
        trace_process_name(process.pid, process.name);
        tell_dispatchers(process.pid);
    }
    return count;
}

static void tell_classes(void)
{
    struct sys_class class;

    for (u32 index = 0; sys_class_get(index, &class) == 0; index++)
        trace_class_name(class.class_id, class.name);
}

static void tell_object(const struct sys_object *object)
{
    u64 address;
    u32 bytes;

    co_object_memory(object->coid, &address, &bytes);
    trace_state_object(object->coid, object->class_id, bytes, address);
}

// Logs all objects with their children. Returns how many, or an error.
static s64 tell_objects(void)
{
    char *buffer = kmalloc(SCAN_BYTES);
    u64 cursor = 0;
    s64 bytes, count = 0;

    if (buffer == NULL)
        return E_NOMEM;
    while ((bytes = sys_object_scan(&cursor, buffer, SCAN_BYTES)) > 0) {
        for (s64 at = 0; at < bytes; count++) {
            const struct sys_object *object = (const struct sys_object *)(buffer + at);
            tell_object(object);
            for (u32 i = 0; i < object->child_count; i++)
                trace_state_child(object->coid, object->children[i]);
            at += object->record_bytes;
        }
    }
    kfree(buffer);
    return bytes < 0 ? bytes : count;
}

CO_METHOD s64 trace_state(struct trace_manager *self)
{
    CO_HOME(self);
    if (!trace_enabled(TRACE_MAJOR_STATE))
        return 0;
    trace_state_begin(trace_mask());
    trace_left_out_tell();
    u64 threads = tell_threads(); // first: dispatchers are then marked among them
    u64 processes = tell_processes();
    tell_classes();
    s64 objects = tell_objects(), waits = trace_waits(self);
    if (objects < 0 || waits < 0)
        return objects < 0 ? objects : waits;
    trace_state_end(processes, threads, (u64)objects);
    return 0;
}
