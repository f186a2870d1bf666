// SPDX-License-Identifier: MIT
// A loop whose events are known by hand.
#include "tests.h"

#include <user/scheduler.h>
#include <user/thread.h>

struct there {
    u32 cpu;
    void (*function)(void *);
    void *argument;
};

void work(u64 turns)
{
    u64 data[2] __attribute__((aligned(128))) = {0};
    __asm__ volatile("mtctr  %0\n"
                     "1:\n"
                     "    ld     0,0(%1)\n"
                     "    std    0,0(%1)\n"
                     "    lwarx  0,0,%2\n"
                     "    stwcx. 0,0,%2\n"
                     "    add    0,0,0\n"
                     "    add    0,0,0\n"
                     "    add    0,0,0\n"
                     "    add    0,0,0\n"
                     "    bdnz   1b\n" ::"r"(turns),
                     "b"(data), "r"(&data[1])
                     : "r0", "ctr", "cr0", "memory");
}

static s64 run(void *argument)
{
    const struct there *there = argument;
    u32 before = user_disable();
    CHECK_IS(user_cpu(), there->cpu);
    there->function(there->argument);
    user_enable(before);
    return 0;
}

static void begin(struct thread **thread, struct there *there)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    attributes.cpu = there->cpu;
    CHECK_IS(thread_create(thread, &attributes, run, there), 0);
}

void on_cpu(u32 cpu, void (*function)(void *), void *argument)
{
    struct there there = {cpu, function, argument};
    struct thread *thread;
    begin(&thread, &there);
    CHECK_IS(thread_join(thread, NULL), 0);
}

static void work_turns(void *turns)
{
    work(*(u64 *)turns);
}

void work_everywhere(u64 turns)
{
    struct there there[ORRERY_MAX_CPUS];
    struct thread *threads[ORRERY_MAX_CPUS];
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        there[cpu] = (struct there){cpu, work_turns, &turns};
        begin(&threads[cpu], &there[cpu]);
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        CHECK_IS(thread_join(threads[cpu], NULL), 0);
}
