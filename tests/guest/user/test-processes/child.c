// SPDX-License-Identifier: MIT
// What the processes do that are started here.
#include "tests.h"

#include "ready.h"
#include "scheduler.h"

#include <orrery/inspect.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <stdlib.h>
#include <string.h>
#include <trace/layout.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

static int sleep_for_ever(void)
{
    ready_say();
    thread_sleep_us(1000000000);
    return 1;
}

// Memory, system calls and time, until somebody ends it.
static void work_for_ever(u64 seed)
{
    for (u64 i = seed;; i++) {
        char *memory = malloc(i % 20000 + 1);
        if (memory != NULL)
            memset(memory, 1, i % 20000 + 1);
        free(memory);
        if (i % 64 == 0)
            thread_yield();
        if (i % 256 == 0)
            thread_sleep_us(10);
    }
}

static void never_answer(void)
{
    user_disable(); // from here on nothing of the library runs
    ready_say();
    for (;;)
        ;
}

// Says that it has answered its first question, which it never takes.
static void answer_early(void)
{
    user_disable();
    ready_say();
    for (;;)
        sys_inspect_done(1, 0, 0, 0);
}

static s64 tell_first_packet(void)
{
    struct trace_packet *packet = (struct trace_packet *)USER_INSPECT;
    u64 now = time_now();

    *packet = (struct trace_packet){
        .magic = TRACE_PACKET_MAGIC, .timestamp_begin = now, .timestamp_end = now};
    return TRACE_SUBBUFFER_SIZE;
}

// Each packet that it hands out is the first one of a stream.
static void tell_first_packets(void)
{
    user_disable();
    ready_say();
    for (;;) {
        struct event event;
        event_wait(&event);
        if (event.type == EVENT_INSPECT)
            sys_inspect_done(event.id, event.badge == INSPECT_TRACE_READ ? tell_first_packet() : 0,
                             0, 0);
    }
}

static void spin_for_ever(void)
{
    for (;;)
        __asm__ volatile("");
}

int child_main(const char *role, u64 argument)
{
    if (strcmp(role, "sleep") == 0)
        return sleep_for_ever();
    if (strcmp(role, "work") == 0)
        work_for_ever(argument);
    if (strcmp(role, "stuck") == 0)
        never_answer();
    if (strcmp(role, "early") == 0)
        answer_early();
    if (strcmp(role, "first-packets") == 0)
        tell_first_packets();
    if (strcmp(role, "spin") == 0)
        spin_for_ever();
    if (strcmp(role, "fpu") == 0)
        return fpu_child(argument);
    return (int)argument; // "exit"
}
