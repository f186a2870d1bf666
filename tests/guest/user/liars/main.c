// SPDX-License-Identifier: MIT
// liars KIND COUNT…: so many processes of each kind, without any right, until standard input ends.
// KIND all: all kinds. Those that end by themselves are started again.
#include "liars.h"

#include "scheduler.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define CHILDREN_MAX 1024

static struct {
    const struct kind *kind;
    s64 pid;
} children[CHILDREN_MAX];
static u32 child_count;

static const struct kind *kind_of(const char *name)
{
    for (u32 i = 0; i < kind_count; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

// ---- a child ------------------------------------------------------------------------------------

static void __attribute__((noreturn)) lie(const struct kind *kind)
{
    struct event event;

    if (kind->begin != NULL)
        kind->begin();
    if (kind->answer == NULL)
        for (;;)
            thread_sleep_us(1000000);
    user_disable(); // from here on nothing of the library runs
    for (;;) {
        event_wait(&event);
        if (event.type == EVENT_INSPECT)
            kind->answer(&event);
    }
}

// ---- their parent -------------------------------------------------------------------------------

static s64 start(const struct kind *kind)
{
    const char *const argv[] = {"liars", kind->name, NULL};
    struct process_spawn how = PROCESS_SPAWN;

    if (kind->unstarted) {
        struct sys_process_new new = {
            .name = "unstarted", .priority = PROCESS_NORMAL, .memory_limit = kind->memory_limit};
        return sys_process_create(&new);
    }
    how.path = "bin/liars";
    how.argv = argv;
    how.name = kind->process_name != NULL ? kind->process_name : kind->name;
    how.memory_limit = kind->memory_limit;
    return process_spawn(&how);
}

static bool ending;

static s64 add(const struct kind *kind)
{
    if (child_count == CHILDREN_MAX)
        return E_LIMIT;
    children[child_count].kind = kind;
    children[child_count].pid = start(kind);
    return children[child_count++].pid;
}

static s64 start_again(void *argument)
{
    (void)argument;
    while (!__atomic_load_n(&ending, __ATOMIC_ACQUIRE)) {
        s32 status;
        s64 pid = process_wait(0, &status, time_after_us(100000));
        for (u32 i = 0; pid > 0 && i < child_count; i++)
            if (children[i].pid == pid)
                children[i].pid = start(children[i].kind);
    }
    return 0;
}

static void end_all(struct thread *starter)
{
    __atomic_store_n(&ending, true, __ATOMIC_RELEASE);
    thread_join(starter, NULL);
    for (u32 i = 0; i < child_count; i++) {
        if (children[i].kind->unstarted)
            sys_cap_drop((cap_t)children[i].pid);
        else if (children[i].pid > 0)
            sys_process_kill((u32)children[i].pid, 0);
    }
}

static bool add_all(int count, char **words)
{
    for (int i = 0; i + 1 < count; i += 2) {
        bool all = strcmp(words[i], "all") == 0;
        for (u32 k = 0; k < kind_count; k++)
            for (u64 n = strtoul(words[i + 1], NULL, 10); n > 0; n--)
                if ((all || strcmp(words[i], kinds[k].name) == 0) && add(&kinds[k]) < 0) {
                    printf("liars: no more of %s\n", kinds[k].name);
                    return false;
                }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct thread_attributes attributes = THREAD_ATTRIBUTES;
    struct thread *starter;
    char byte;

    if (argc == 2 && kind_of(argv[1]) != NULL)
        lie(kind_of(argv[1]));
    if (!add_all(argc - 1, argv + 1) ||
        thread_create(&starter, &attributes, start_again, NULL) != 0)
        return 1;
    printf("liars: %u started\n", child_count);
    fflush(stdout);
    while (read(0, &byte, 1) > 0)
        ;
    end_all(starter);
    return 0;
}
