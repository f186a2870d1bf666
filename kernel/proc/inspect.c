// SPDX-License-Identifier: MIT
// Questions of the monitor (orrery/inspect.h): the event, the answer, the shared buffer. A question
// is open from its claim to its close. In between, no thread of the process can touch it except by
// answering, and no thread of another asker at all.
#include "inspect.h"

#include <kernel/address_space.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/thread.h>
#include <kernel/timer.h>
#include <orrery/errors.h>
#include <orrery/inspect.h>
#include <string.h>

#include "dispatcher.h"
#include "process.h"
#include "thread.h"

#define RETRY_MICROSECONDS 10000
#define ABANDONED_MICROSECONDS 1000000 // after its time: nobody looks for the answer any more

void inspection_init(struct inspection *monitor)
{
    spin_init(&monitor->lock, "process monitor", RANK_OBJECT);
}

// ---- telling the asker --------------------------------------------------------------------------

// Whom to tell, and how: copied under the lock, told without it.
struct news {
    u32 asker, cpu;
    u64 bits;
};

// Wakes who waits in the kernel. Returns whom to tell once the caller has given back the lock.
static struct news news_of(struct inspection *monitor)
{
    wait_queue_wake_all(&monitor->waiters);
    return (struct news){monitor->asker, monitor->kick_cpu, monitor->kick_bits};
}

static void monitor_tell(const struct news *news)
{
    if (news->asker == 0 || news->bits == 0)
        return;
    struct process *asker = process_get(news->asker);
    if (asker == NULL)
        return;
    struct dispatcher *dispatcher = process_dispatcher(asker, news->cpu);
    if (dispatcher != NULL)
        dispatcher_kick(dispatcher, news->bits);
    process_put(asker);
}

bool inspection_ended(const struct process *process)
{
    return __atomic_load_n(&process->monitor.ended, __ATOMIC_ACQUIRE);
}

void inspection_end(struct process *process)
{
    struct inspection *monitor = &process->monitor;

    spin_lock(&monitor->lock);
    monitor->ended = true;
    struct news news = news_of(monitor);
    spin_unlock(&monitor->lock);
    monitor_tell(&news);
}

// ---- asking -------------------------------------------------------------------------------------

static void question_taken(struct posted_event *event, bool delivered)
{
    struct inspection *monitor = container_of(event, struct inspection, posted);

    (void)delivered;
    spin_lock(&monitor->lock);
    monitor->queued = false;
    spin_unlock(&monitor->lock);
    process_put(container_of(monitor, struct process, monitor));
}

static bool has_ended(u32 pid)
{
    struct process *process = process_get(pid);
    bool ended = process == NULL || process_ending(process);

    if (process != NULL)
        process_put(process);
    return ended;
}

// Returns whether a question is open. gone: an asker that has ended, or 0. Lock held.
static bool is_open(const struct inspection *monitor, u32 gone)
{
    if (monitor->asker == 0 || monitor->asker == gone)
        return false;
    return timebase() < monitor->deadline + microseconds_to_ticks(ABANDONED_MICROSECONDS);
}

// Opens the next question, unless one is open or the last one has not even been
// seen: its number, or an error.
static s64 claim(struct inspection *monitor, const struct sys_inspect_question *asked, u64 deadline)
{
    u32 holder = __atomic_load_n(&monitor->asker, __ATOMIC_RELAXED);
    u32 gone = holder != 0 && has_ended(holder) ? holder : 0;

    spin_lock(&monitor->lock);
    s64 result = monitor->ended           ? E_PEER
                 : is_open(monitor, gone) ? E_BUSY
                 : monitor->queued        ? E_TIMEOUT
                                          : 0;
    if (result == 0) {
        result = (s64)++monitor->question;
        monitor->asker = process_pid(process_current());
        monitor->operation = asked->operation;
        memcpy(monitor->arguments, asked->arguments, sizeof(monitor->arguments));
        monitor->deadline = deadline;
        monitor->answered = false;
        monitor->queued = true; // from here on: `posted` and the making of the buffer are ours
        monitor->kick_cpu = cpu_id();
        monitor->kick_bits = asked->kick;
    }
    spin_unlock(&monitor->lock);
    return result;
}

static void close_question(struct inspection *monitor, u64 question)
{
    spin_lock(&monitor->lock);
    if (monitor->question == question) {
        monitor->asker = 0;
        wait_queue_wake_all(&monitor->waiters);
    }
    spin_unlock(&monitor->lock);
}

// Takes back a question that could not be asked.
static void withdraw(struct inspection *monitor)
{
    spin_lock(&monitor->lock);
    monitor->asker = 0;
    monitor->queued = false;
    wait_queue_wake_all(&monitor->waiters);
    spin_unlock(&monitor->lock);
}

static s64 post(struct process *process, struct dispatcher *to, u64 question,
                const struct sys_inspect_question *asked)
{
    struct inspection *monitor = &process->monitor;

    monitor->posted = (struct posted_event){
        .taken = question_taken,
        .event = {.type = EVENT_INSPECT,
                  .id = question,
                  .badge = asked->operation,
                  .info = asked->arguments[0],
                  .words = {asked->arguments[1], asked->arguments[2], asked->arguments[3]}}};
    process_hold(process);
    scheduler_favour(to->thread); // many may be asked at once, and some of them never rest
    if (dispatcher_post(to, &monitor->posted))
        return 0;
    process_put(process);
    return E_PEER;
}

// Sends a question to the process. Returns its number, or an error.
static s64 ask(struct process *process, const struct sys_inspect_question *asked, u64 deadline)
{
    struct inspection *monitor = &process->monitor;
    struct dispatcher *to = process_any_dispatcher(process);

    if (asked->operation == INSPECT_SCHED_POLICY &&
        !(process_rights(process_current()) & RIGHT_PLACE))
        return E_PERM;
    if (to == NULL || process->image.upcall_entry == 0)
        return process_ending(process) ? E_PEER : E_NOTSUP;
    s64 question = claim(monitor, asked, deadline);
    if (question < 0)
        return question;
    s64 error = 0;
    if (monitor->buffer == NULL)
        error = space_wire(process->space, USER_INSPECT, INSPECT_BYTES, &monitor->buffer);
    if (error == 0)
        error = post(process, to, (u64)question, asked);
    if (error != 0)
        withdraw(monitor);
    return error != 0 ? error : question;
}

static u64 patience_end(u64 microseconds)
{
    if (microseconds == 0 || microseconds > INSPECT_PATIENCE_US)
        microseconds = INSPECT_PATIENCE_US;
    return timebase() + microseconds_to_ticks(microseconds);
}

s64 sys_inspect_ask(const struct sys_inspect_question *question)
{
    struct process *process = process_get(question->pid);

    if (process == NULL)
        return E_NOENT;
    s64 result = ask(process, question, patience_end(question->patience_us));
    process_put(process);
    return result;
}

// ---- the answer ---------------------------------------------------------------------------------

s64 sys_inspect_done(u64 request_id, s64 result, u64 result0, u64 result1)
{
    struct inspection *monitor = &process_current()->monitor;
    struct news news = {0};
    u64 now = timebase();

    spin_lock(&monitor->lock);
    // What it has not taken it cannot answer: the buffer may not even be there.
    bool open = monitor->asker != 0 && monitor->question == request_id && !monitor->queued &&
                !monitor->answered && now < monitor->deadline;
    if (open) {
        monitor->answer = (struct sys_inspect_answer){result, {result0, result1}, now};
        monitor->answered = true;
        news = news_of(monitor);
    }
    spin_unlock(&monitor->lock);
    monitor_tell(&news);
    return open ? 0 : E_NOENT;
}

// Returns 0 if the question has been answered, or why it has not. Lock held.
static s64 look(const struct inspection *monitor, u64 question)
{
    if (monitor->asker != process_pid(process_current()) || monitor->question != question)
        return E_NOENT;
    if (monitor->answered)
        return 0;
    if (monitor->ended)
        return E_PEER;
    return timebase() >= monitor->deadline ? E_TIMEOUT : E_AGAIN;
}

// Takes an answer. The buffer is the process's memory, which it may change at any time. So its
// contents are copied once, and nothing in it is believed.
static s64 take_answer(struct process *process, u64 question, struct sys_inspect_answer *answer,
                       void *buffer, u64 bytes)
{
    struct inspection *monitor = &process->monitor;

    spin_lock(&monitor->lock);
    s64 result = look(monitor, question);
    u32 operation = monitor->operation;
    const u64 arguments[2] = {monitor->arguments[0], monitor->arguments[1]};
    if (result == 0)
        *answer = monitor->answer;
    spin_unlock(&monitor->lock);
    if (result == E_AGAIN || result == E_NOENT)
        return result;
    if (result == 0 && answer->status > 0) {
        u64 told = (u64)answer->status < INSPECT_BYTES ? (u64)answer->status : INSPECT_BYTES;
        bytes = told < bytes ? told : bytes;
        memcpy(buffer, monitor->buffer, bytes);
    } else {
        bytes = 0;
    }
    close_question(monitor, question);
    if (result == 0) {
        result = (s64)bytes;
        TELL(process_answers, process, operation, arguments, answer->status, buffer, &result);
    }
    return result;
}

s64 sys_inspect_poll(u32 pid, u64 question)
{
    struct process *process = process_get(pid);

    if (process == NULL)
        return 0;
    spin_lock(&process->monitor.lock);
    s64 result = look(&process->monitor, question);
    spin_unlock(&process->monitor.lock);
    process_put(process);
    return result == E_AGAIN || result == E_NOENT ? result : 0;
}

s64 sys_inspect_answer(u32 pid, u64 question, struct sys_inspect_answer *answer, void *buffer,
                       u64 bytes)
{
    struct process *process = process_get(pid);

    if (process == NULL)
        return E_PEER;
    s64 result = take_answer(process, question, answer, buffer, bytes);
    process_put(process);
    return result;
}

// ---- both in one --------------------------------------------------------------------------------

// Waits for a turn to ask. The end of an asker wakes nobody here, so the wait looks for it now and
// then.
static void wait_for_turn(struct inspection *monitor, u64 deadline)
{
    u64 look_again = timebase() + microseconds_to_ticks(RETRY_MICROSECONDS);

    spin_lock(&monitor->lock);
    if (is_open(monitor, 0))
        wait_queue_sleep(&monitor->waiters, &monitor->lock,
                         look_again < deadline ? look_again : deadline);
    spin_unlock(&monitor->lock);
}

static s64 ask_until(struct process *process, const struct sys_inspect_question *asked,
                     u64 deadline)
{
    s64 result;

    while ((result = ask(process, asked, deadline)) == E_BUSY) {
        if (timebase() >= deadline)
            return E_TIMEOUT;
        wait_for_turn(&process->monitor, deadline);
    }
    return result;
}

static s64 await(struct process *process, u64 question, struct sys_inspect_answer *answer,
                 void *buffer, u64 bytes)
{
    struct inspection *monitor = &process->monitor;
    s64 result;

    for (;;) {
        spin_lock(&monitor->lock);
        if (look(monitor, question) == E_AGAIN)
            wait_queue_sleep(&monitor->waiters, &monitor->lock, monitor->deadline);
        spin_unlock(&monitor->lock);
        result = take_answer(process, question, answer, buffer, bytes);
        if (result != E_AGAIN)
            return result;
    }
}

static s64 ask_and_wait(struct process *process, struct sys_inspect_request *request, void *buffer,
                        u64 bytes)
{
    struct sys_inspect_question asked = {.pid = request->pid, .operation = request->operation};
    struct sys_inspect_answer answer = {0};

    memcpy(asked.arguments, request->arguments, sizeof(asked.arguments));
    s64 question = ask_until(process, &asked, patience_end(0));
    if (question < 0)
        return question;
    s64 result = await(process, (u64)question, &answer, buffer, bytes);
    memcpy(request->results, answer.results, sizeof(request->results));
    if (result < 0)
        return result;
    return answer.status > (s64)bytes ? E_PROTO : answer.status;
}

s64 sys_process_inspect(struct sys_inspect_request *request, void *buffer, u64 bytes)
{
    struct process *process = process_get(request->pid);

    if (process == NULL)
        return E_NOENT;
    s64 result = ask_and_wait(process, request, buffer, bytes);
    process_put(process);
    return result;
}
