// SPDX-License-Identifier: MIT
// A process of another program, from its start to its end told to the parent.
#include <linux/sched.h>
#include <linux/signal.h>

#include "bench.h"

static char *const arguments[] = {"/init", "nothing", NULL};

static void execute(void *unused)
{
    (void)unused;
    SYS(execve, arguments[0], arguments, arguments + 2);
}

static void spawn_exit_wait(void)
{
    static void *stack;

    if (stack == NULL)
        stack = pages(4 * PAGE, 0);
    process_wait((u64)need("clone", clone_call(CLONE_VM | CLONE_VFORK | SIGCHLD,
                                               (u8 *)stack + 4 * PAGE, NULL, execute, NULL)));
}

void bench_processes(void)
{
    measure("user.spawn_exit_wait", 20, spawn_exit_wait);
}
