// SPDX-License-Identifier: MIT
// What the processes do that are started here.
#include "tests.h"

#include <orrery/user.h>
#include <stdlib.h>
#include <string.h>
#include <user/thread.h>
#include <user/time.h>

static int sleep_for_ever(void)
{
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
    struct dispatcher_page *page;

    __asm__("addi %0,13,%1" : "=b"(page) : "i"(R13_HOST));
    page->disabled = 1;
    for (;;)
        ;
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
    if (strcmp(role, "spin") == 0)
        spin_for_ever();
    if (strcmp(role, "fpu") == 0)
        return fpu_child(argument);
    return (int)argument; // "exit"
}
