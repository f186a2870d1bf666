// SPDX-License-Identifier: MIT
// Calls, answers and messages are counted on both sides, each on its own CPU.
#include "tests.h"

#include <expect.h>
#include <orrery/errors.h>
#include <user/ipc.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define MASTER 3 // domain
#define CALLS 3000UL
#define MESSAGES 2000UL

int send_to_master(u64 messages)
{
    static const u64 words[MESSAGE_WORDS];

    for (u64 sent = 0; sent < messages;) {
        s64 error = ipc_send(CAP_PARENT, -1, words);
        if (error == E_AGAIN)
            thread_sleep_us(1000);
        else if (error != 0)
            return 1;
        sent += error == 0;
    }
    return 0;
}

// What one event has counted for the domains of a client and of the master.
struct seen {
    u32 client, master, on_client_cpu;
};

static struct seen look(u8 *const areas[], u32 cpu, u32 sent, u32 taken, u32 domain)
{
    return (struct seen){count_of(areas, sent, domain), count_of(areas, taken, MASTER),
                         count_on(areas[cpu], sent, domain)};
}

// The client's side is told on the client's CPU alone.
static void expect_more(struct seen before, struct seen after, u32 more)
{
    EXPECT(after.client - before.client == more);
    EXPECT(after.master - before.master == more);
    EXPECT(after.on_client_cpu - before.on_client_cpu == more);
}

static void calls_and_answers(u8 *const areas[], u32 cpu)
{
    struct child child = {.role = "call", .argument = CALLS, .cpu = cpu, .domain = 1 + cpu % 2};
    struct seen calls = look(areas, cpu, LOG_CALL_SENT, LOG_CALL_TAKEN, child.domain);
    struct seen answers = look(areas, cpu, LOG_ANSWER_TAKEN, LOG_ANSWER_SENT, child.domain);

    EXPECT(child_end(child_start(&child)) == 0);
    expect_more(calls, look(areas, cpu, LOG_CALL_SENT, LOG_CALL_TAKEN, child.domain), CALLS);
    expect_more(answers, look(areas, cpu, LOG_ANSWER_TAKEN, LOG_ANSWER_SENT, child.domain), CALLS);
}

// Calls are on, and are switched on again and again: no call gets lost.
static void looking_again(u8 *const areas[], u32 cpu)
{
    struct child child = {.role = "call", .argument = CALLS, .cpu = cpu, .domain = 1 + cpu % 2};
    struct seen calls = look(areas, cpu, LOG_CALL_SENT, LOG_CALL_TAKEN, child.domain);
    struct seen answers = look(areas, cpu, LOG_ANSWER_TAKEN, LOG_ANSWER_SENT, child.domain);
    u64 called = master_called();
    u32 pid = child_start(&child);

    while (master_called() != called + CALLS) {
        EXPECT(sys_log_enable(LOG_OF_CALLS, true) == 0);
        thread_sleep_us(100);
    }
    EXPECT(child_end(pid) == 0);
    expect_more(calls, look(areas, cpu, LOG_CALL_SENT, LOG_CALL_TAKEN, child.domain), CALLS);
    expect_more(answers, look(areas, cpu, LOG_ANSWER_TAKEN, LOG_ANSWER_SENT, child.domain), CALLS);
}

static void messages(u8 *const areas[], u32 cpu)
{
    struct child child = {.role = "send", .argument = MESSAGES, .cpu = cpu, .domain = 1 + cpu % 2};
    struct seen before = look(areas, cpu, LOG_MESSAGE_SENT, LOG_MESSAGE_TAKEN, child.domain);
    u64 got = master_messages();

    EXPECT(child_end(child_start(&child)) == 0);
    EXPECT(WAIT_FOR(master_messages() == got + MESSAGES));
    expect_more(before, look(areas, cpu, LOG_MESSAGE_SENT, LOG_MESSAGE_TAKEN, child.domain),
                MESSAGES);
}

void passing(void)
{
    u8 *areas[ORRERY_MAX_CPUS];
    bool laid_out = lay_out_counts(areas);

    EXPECT(laid_out);
    if (!laid_out)
        return;
    EXPECT(sys_log_domain((u32)sys_process_pid(0), 0, MASTER) == 0);
    EXPECT(sys_log_enable(LOG_OF_CALLS, true) == 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        calls_and_answers(areas, cpu);
        looking_again(areas, cpu);
        messages(areas, cpu);
    }
    EXPECT(sys_log_close() == 0);
    forget_counts(areas);
}
