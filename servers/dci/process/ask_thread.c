// SPDX-License-Identifier: MIT
// Questions to processes are put by a thread of its own: the kernel lets the whole dispatcher wait for
// an answer, so it runs on another CPU than the server's loop where there is one.
#include "ask.h"

#include "ask_self.h"
#include "requests.h"

#include <orrery/errors.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <string.h>
#include <user/lock.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define PATIENCE_US 2000 // most answers come sooner than it takes to do something else meanwhile
#define LOOK_MS 1        // for one that takes longer

enum state { IDLE, ASKED, ANSWERED };

static struct {
    struct mutex lock; // of all here but buffer, which is the thread's while ASKED
    struct condition changed;
    enum state state;
    const void *asker; // NULL: it does not want to know any more
    u32 pid, operation;
    u64 arguments[4];
    s64 result;
    struct answer answer;
    u8 buffer[MONITOR_BYTES] __attribute__((aligned(8)));
    bool started;
} question;

static s64 put_question(void)
{
    if (question.pid == (u32)sys_process_pid(0))
        return ask_self(question.operation, question.arguments, question.buffer, &question.answer);
    return ask_and_wait(question.pid, question.operation, question.arguments, question.buffer,
                        &question.answer);
}

static s64 __attribute__((noreturn)) ask_main(void *argument)
{
    (void)argument;
    mutex_lock(&question.lock);
    for (;;) {
        while (question.state != ASKED)
            condition_wait(&question.changed, &question.lock);
        mutex_unlock(&question.lock);
        s64 result = put_question();
        mutex_lock(&question.lock);
        question.result = result;
        question.state = question.asker != NULL ? ANSWERED : IDLE;
        condition_broadcast(&question.changed);
    }
}

// With the lock held. 0 or an error.
static s64 start_thread(void)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *thread;

    if (question.started)
        return 0;
    attributes.name = "ask";
    attributes.detached = true;
    attributes.cpu = (thread_cpu(thread_current()) + 1) % server_system.cpu_count;
    s64 error = thread_create(&thread, &attributes, ask_main, NULL);
    question.started = error == 0;
    return error;
}

static void begin(const void *asker, u32 pid, u32 operation, const u64 arguments[4])
{
    question.asker = asker;
    question.pid = pid;
    question.operation = operation;
    memcpy(question.arguments, arguments, sizeof(question.arguments));
    question.state = ASKED;
    condition_broadcast(&question.changed);
}

// With the lock held.
static s64 ask_locked(const void *asker, u32 pid, u32 operation, const u64 arguments[4],
                      struct answer *answer)
{
    u64 deadline = time_after_us(PATIENCE_US);

    s64 error = start_thread();
    if (error != 0)
        return error;
    if (question.state == IDLE)
        begin(asker, pid, operation, arguments);
    while (question.asker == asker && question.state == ASKED)
        if (condition_wait_until(&question.changed, &question.lock, deadline) != 0)
            return E_AGAIN;
    if (question.asker != asker)
        return E_AGAIN;
    *answer = question.answer;
    question.state = IDLE;
    return question.result;
}

s64 ask(const void *asker, u32 pid, u32 operation, const u64 arguments[4], struct answer *answer)
{
    mutex_lock(&question.lock);
    s64 result = ask_locked(asker, pid, operation, arguments, answer);
    mutex_unlock(&question.lock);
    return result;
}

void ask_forget(const void *asker)
{
    mutex_lock(&question.lock);
    if (question.state != IDLE && question.asker == asker) {
        question.asker = NULL;
        if (question.state == ANSWERED)
            question.state = IDLE;
    }
    mutex_unlock(&question.lock);
}

u64 ask_work(u64 now)
{
    mutex_lock(&question.lock);
    enum state state = question.state;
    mutex_unlock(&question.lock);
    return state == IDLE ? UINT64_MAX : now + server_ticks(LOOK_MS);
}
