// SPDX-License-Identifier: MIT
// Questions of the monitor (orrery/monitor.h): the event, the wait for the answer, the shared buffer.
#include "monitor.h"

#include <kernel/address_space.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/monitor.h>
#include <string.h>
#include <trace/process.h>

#include "process.h"

#define TIMEOUT_MICROSECONDS 1000000
#define RETRY_MICROSECONDS 1000

static struct process *process_of(struct process_monitor *monitor)
{
    return (struct process *)((char *)monitor - offsetof(struct process, monitor));
}

void process_monitor_init(struct process_monitor *monitor)
{
    spin_init(&monitor->lock, "process monitor", RANK_OBJECT);
}

static void wake_asker(struct process_monitor *monitor)
{
    if (monitor->asker != NULL)
        thread_unpark(monitor->asker);
}

void process_monitor_end(struct process *process)
{
    struct process_monitor *monitor = &process->monitor;

    spin_lock(&monitor->lock);
    monitor->ended = true;
    wake_asker(monitor);
    spin_unlock(&monitor->lock);
}

static void question_taken(struct posted_event *event, bool delivered)
{
    struct process_monitor *monitor =
        (struct process_monitor *)((char *)event - offsetof(struct process_monitor, posted));

    (void)delivered;
    spin_lock(&monitor->lock);
    monitor->queued = false;
    spin_unlock(&monitor->lock);
    process_put(process_of(monitor));
}

// Becomes the asker, unless another one is, or the last question has not even been seen. 0, E_BUSY, E_PEER.
static s64 claim(struct process_monitor *monitor)
{
    spin_lock(&monitor->lock);
    s64 result = monitor->asker != NULL || monitor->queued ? E_BUSY : 0;
    if (monitor->ended)
        result = E_PEER;
    if (result == 0) {
        monitor->asker = thread_current();
        monitor->answered = false;
        monitor->question++;
    }
    spin_unlock(&monitor->lock);
    return result;
}

static s64 claim_until(struct process_monitor *monitor, u64 deadline)
{
    s64 result;

    while ((result = claim(monitor)) == E_BUSY) {
        if (timebase() >= deadline)
            return E_TIMEOUT;
        thread_sleep(microseconds_to_ticks(RETRY_MICROSECONDS));
    }
    return result;
}

static s64 post_question(struct process *process, const struct sys_monitor_request *request)
{
    struct process_monitor *monitor = &process->monitor;
    struct dispatcher *to = process_any_dispatcher(process);

    if (to == NULL || process->image.upcall_entry == 0)
        return E_NOTSUP;
    monitor->posted = (struct posted_event){
        .taken = question_taken,
        .event = {.type = EVENT_MONITOR,
                  .id = monitor->question,
                  .badge = request->operation,
                  .info = request->arguments[0],
                  .words = {request->arguments[1], request->arguments[2], request->arguments[3]}}};
    monitor->queued = true;
    process_hold(process);
    if (dispatcher_post(to, &monitor->posted))
        return 0;
    monitor->queued = false;
    process_put(process);
    return E_PEER;
}

static s64 await_answer(struct process_monitor *monitor, u64 deadline)
{
    for (;;) {
        if (*(volatile bool *)&monitor->answered)
            return 0;
        if (*(volatile bool *)&monitor->ended)
            return E_PEER;
        if (timebase() >= deadline)
            return E_TIMEOUT;
        thread_park(deadline);
    }
}

// The buffer is the process's memory: what lies there is copied once and believed nothing.
static s64 take_answer(struct process_monitor *monitor, struct sys_monitor_request *request,
                       void *buffer, u64 bytes)
{
    s64 result = monitor->result;

    request->results[0] = monitor->results[0];
    request->results[1] = monitor->results[1];
    if (result > MONITOR_BYTES)
        return E_PROTO;
    if (result > 0)
        memcpy(buffer, monitor->buffer, (u64)result < bytes ? (u64)result : bytes);
    return result;
}

static s64 ask(struct process *process, struct sys_monitor_request *request, void *buffer,
               u64 bytes)
{
    struct process_monitor *monitor = &process->monitor;
    u64 deadline = timebase() + microseconds_to_ticks(TIMEOUT_MICROSECONDS);
    s64 result = claim_until(monitor, deadline);

    if (result != 0)
        return result;
    if (monitor->buffer == NULL)
        result = space_wire(process->space, USER_MONITOR, MONITOR_BYTES, &monitor->buffer);
    if (result == 0)
        result = post_question(process, request);
    if (result == 0)
        result = await_answer(monitor, deadline);
    spin_lock(&monitor->lock);
    monitor->asker = NULL;
    spin_unlock(&monitor->lock);
    return result == 0 ? take_answer(monitor, request, buffer, bytes) : result;
}

s64 sys_process_monitor(struct sys_monitor_request *request, void *buffer, u64 bytes)
{
    struct process *process = process_get(request->pid);

    if (process == NULL)
        return E_NOENT;
    s64 result = ask(process, request, buffer, bytes);
    if (result == 0 && request->operation == MONITOR_TRACE_MASK && request->arguments[1] != 0)
        trace_process_renewed(request->pid);
    process_put(process);
    return result;
}

s64 sys_monitor_done(u64 request_id, s64 result, u64 result0, u64 result1)
{
    struct process_monitor *monitor = &process_current()->monitor;

    spin_lock(&monitor->lock);
    bool open = monitor->asker != NULL && monitor->question == request_id && !monitor->answered;
    if (open) {
        monitor->result = result;
        monitor->results[0] = result0;
        monitor->results[1] = result1;
        monitor->answered = true;
        wake_asker(monitor);
    }
    spin_unlock(&monitor->lock);
    return open ? 0 : E_NOENT;
}
