// SPDX-License-Identifier: MIT
// Counts what is allocated for an operation, or lets one allocation fail; then tries it again.
#include "child.h"

#include "operations.h"
#include "who.h"

#include <orrery/errors.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define PAGE 4096
#define LOOKS 20 // until a server has freed what it frees later

// ---- starting it --------------------------------------------------------------------------------

s32 child_run(const char *name, const struct attempt *attempt)
{
    char nth[24], runs[12], heap_max[24];
    const char *const argv[] = {"test-fail-memory",           "child", name, nth, runs, heap_max,
                                attempt->patient ? "1" : "0", NULL};
    struct process_spawn how = PROCESS_SPAWN;
    s32 status = -1;

    snprintf(nth, sizeof(nth), "%lu", (unsigned long)attempt->nth);
    snprintf(runs, sizeof(runs), "%u", attempt->runs);
    snprintf(heap_max, sizeof(heap_max), "%ld", (long)attempt->heap_max);
    how.path = "/bin/test-fail-memory";
    how.argv = argv;
    how.rights = PROCESS_SAME_RIGHTS;
    s64 pid = process_spawn(&how);
    if (pid > 0)
        process_wait((u32)pid, &status, THREAD_FOREVER);
    return status;
}

// ---- within it ----------------------------------------------------------------------------------

// Without a report, which nobody would read. A page that was not to be had is none that a NULL
// pointer points to.
static bool end_quietly(const struct event *event, struct user_state *state)
{
    (void)state;
    sys_exit(event->id == VECTOR_DATA_STORAGE && event->badge >= PAGE ? OUT_OF_MEMORY : CRASHED);
    return false;
}

static s64 run_often(const struct operation *operation, u32 runs)
{
    s64 error = 0;

    for (u32 i = 0; i < runs && error == 0; i++)
        error = operation->run();
    return error;
}

// A server frees some of what it has taken when its client no longer waits.
static void settle(const struct attempt *attempt)
{
    u64 deadline = attempt->patient ? patience() : THREAD_FOREVER;
    struct sys_memory_use use;

    for (u32 look = 0; look < LOOKS || attempt->patient; look++) {
        if (sys_memory_use(&use) != 0 || use.heap_objects <= attempt->heap_max ||
            !wait_more(deadline))
            return;
    }
}

// Once more, with all the memory there is. Who has lost its server waits for the next one.
static s64 run_again(const struct operation *operation, u32 server)
{
    s64 error = operation->run();

    if (error != 0 && server_pid(operation->server) != server)
        WAIT_FOR((error = operation->run()) == 0);
    return error;
}

static const struct operation *find_in(const struct operation *some, u32 count, const char *name)
{
    for (u32 i = 0; i < count; i++)
        if (strcmp(some[i].name, name) == 0)
            return &some[i];
    return NULL;
}

static const struct operation *find(const char *name)
{
    const struct operation *found = find_in(operations, operation_count, name);

    if (found == NULL)
        found = find_in(watching, watching_count, name);
    return found != NULL ? found : find_in(serving, serving_count, name);
}

static int attempt_it(const struct operation *operation, const struct attempt *attempt)
{
    u32 server;

    if (!WAIT_FOR((server = server_pid(operation->server)) != 0) ||
        sys_memory_fail(true, attempt->nth, server) != 0)
        return NOT_SWITCHED;
    s64 error = run_often(operation, attempt->runs);
    if (operation->server != NULL)
        settle(attempt);
    if (sys_memory_fail(false, 0, 0) != 0)
        return NOT_SWITCHED;
    s64 again = run_again(operation, server);
    if (again != 0)
        printf("FAILED %s again: %s; before: %s\n", operation->name, orrery_strerror(again),
               orrery_strerror(error));
    return again != 0 ? NOT_AGAIN : error == E_TIMEOUT ? HUNG : error != 0 ? REFUSED : WORKED;
}

int child_main(char **argv)
{
    const struct operation *operation = find(argv[0]);
    const struct attempt attempt = {.nth = strtoul(argv[1], NULL, 10),
                                    .runs = (u32)strtoul(argv[2], NULL, 10),
                                    .heap_max = strtol(argv[3], NULL, 10),
                                    .patient = argv[4][0] == '1'};

    user_on_exception(end_quietly);
    return operation != NULL ? attempt_it(operation, &attempt) : NOT_SWITCHED;
}
