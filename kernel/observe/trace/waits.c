// SPDX-License-Identifier: MIT
// Logs who waits for whom: calls without an answer, the threads of programs that wait in them or
// work on them, and what has been told of mutexes (trace/waits.h). All is looked at twice, and only
// what was the same both times is told. A thread that has not run in between has waited all the
// time. So at the moment between the two looks all of it was so at once: waits that never were at
// the same time cannot look like a circle.
#include <kernel/address_space.h>
#include <kernel/memory.h>
#include <kernel/process.h>
#include <orrery/errors.h>
#include <orrery/process.h>
#include <trace/events.h>
#include <trace/trace.h>
#include <trace/waits.h>

#include "ipc/call_record.h"
#include "manager.h"

#define CALLS_MAX 2048
#define THREADS_MAX 2048   // that wait or work for somebody
#define THREADS_OF_ONE 256 // of a process, so that none takes the others' room

struct waiting_thread {
    u32 pid;
    u64 calls; // whose answer it waits for; 0: none
    struct trace_waits_thread thread;
};

struct scan {
    u32 call_count, thread_count, left_out;
    struct open_call calls[CALLS_MAX];
    struct waiting_thread threads[THREADS_MAX];
};

static bool peek(void *context, void *to, u64 from, u64 bytes)
{
    return space_peek(context, to, from, bytes) == 0;
}

// Returns the open call of a thread, which is the token of its calls, or 0.
static u64 call_of(const struct scan *scan, u32 pid, u64 thread)
{
    for (u32 i = 0; i < scan->call_count; i++) {
        if (scan->calls[i].client == pid && scan->calls[i].token == thread)
            return scan->calls[i].id;
    }
    return 0;
}

// Returns whether a process has still to answer a call.
static bool owes(const struct scan *scan, u32 pid, u64 call)
{
    for (u32 i = 0; i < scan->call_count && call != 0; i++) {
        if (scan->calls[i].id == call && scan->calls[i].server == pid)
            return true;
    }
    return false;
}

static void scan_process(struct scan *scan, struct process *process)
{
    struct waiting_thread waiting = {.pid = process_pid(process)};
    struct trace_waits_thread *thread = &waiting.thread;
    struct trace_waits waits;
    u32 count = 0;

    if (!trace_waits_open(&waits, process_image(process)->threads, peek, process_space(process)))
        return;
    while (trace_waits_next(&waits, thread)) {
        waiting.calls = call_of(scan, waiting.pid, thread->address);
        if (!owes(scan, waiting.pid, thread->works_on))
            thread->works_on = 0; // it was its last one
        if ((waiting.calls | thread->works_on | thread->mutex) == 0)
            continue;
        if (scan->thread_count < THREADS_MAX && count++ < THREADS_OF_ONE)
            scan->threads[scan->thread_count++] = waiting;
        else
            scan->left_out++;
    }
}

static void scan_waiters(struct scan *scan)
{
    struct sys_process_info info;
    u64 cursor = 0;
    u32 calls = calls_list(scan->calls, CALLS_MAX);

    scan->call_count = calls < CALLS_MAX ? calls : CALLS_MAX;
    scan->left_out = calls - scan->call_count;
    scan->thread_count = 0;
    while (sys_process_list(&cursor, &info, sizeof(info)) > 0) {
        struct process *process = process_get(info.pid);
        if (process == NULL)
            continue;
        scan_process(scan, process);
        process_put(process);
    }
}

// Returns whether a thread was seen just so in the other look, too. *place is where it is likely to
// be, as both have the same order.
static bool was_so(const struct scan *other, const struct waiting_thread *waiting, u32 *place)
{
    for (u32 i = 0; i < other->thread_count; i++) {
        const struct waiting_thread *seen = &other->threads[(*place + i) % other->thread_count];
        if (seen->pid != waiting->pid || seen->thread.id != waiting->thread.id)
            continue;
        *place += i + 1;
        return seen->calls == waiting->calls && seen->thread.works_on == waiting->thread.works_on &&
               seen->thread.mutex == waiting->thread.mutex &&
               seen->thread.owner == waiting->thread.owner &&
               seen->thread.switches == waiting->thread.switches;
    }
    return false;
}

static void tell_scan(const struct scan *first, const struct scan *second)
{
    u32 place = 0;

    trace_state_waits(second->call_count, second->thread_count, second->left_out);
    for (u32 i = 0; i < second->call_count; i++) {
        const struct open_call *call = &second->calls[i];
        if (owes(first, call->server, call->id))
            trace_state_call(call->id, call->thread, call->server);
    }
    for (u32 i = 0; i < second->thread_count; i++) {
        const struct waiting_thread *waiting = &second->threads[i];
        const struct trace_waits_thread *thread = &waiting->thread;
        if (was_so(first, waiting, &place))
            trace_state_user_thread(waiting->pid, thread->id, thread->works_on, waiting->calls,
                                    thread->mutex, thread->owner);
    }
}

CO_METHOD s64 trace_waits(struct trace_manager *self)
{
    CO_HOME(self);
    if (!trace_enabled(TRACE_MAJOR_STATE))
        return 0;
    struct scan *scans = kmalloc(2 * sizeof(*scans));
    if (scans == NULL)
        return E_NOMEM;
    scan_waiters(&scans[0]);
    scan_waiters(&scans[1]);
    tell_scan(&scans[0], &scans[1]);
    kfree(scans);
    return 0;
}
