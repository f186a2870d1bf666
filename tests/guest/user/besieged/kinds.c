// SPDX-License-Identifier: MIT
// The kinds of hostile programs, and who keeps them alive.
#include "siege.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <stdio.h>
#include <string.h>
#include <user/ipc.h>
#include <user/process.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>
#include <waiting.h>

// Slots that the programs of the other tests know.
#define SLOT_COUNT 8 // memory: how many random calls have been made
#define SLOT_DONE 9  // an endpoint; here nobody answers
#define SLOT_STOP 10 // memory: whose first word is not 0 when it is enough
#define LIFE_US 300000
#define LIFE_MORE_US 1500000
#define PAUSE_US 50000 // after a start that has failed: a server may be away
#define ATTEMPTS 64    // more than there are: the rest ends at once
#define THREAD_STACK 0x8000
#define BOMB "bomb" // what one calls those that it starts

static const struct kind {
    const char *name;
    const char *argv[4];
    bool numbered;   // its last argument is a number, another one each time
    bool multiplies; // it starts others, until it is told to stop
} kinds[] = {
    {"file contents", {"test-hoard", "files"}, false, false},
    {"pipes", {"test-hoard", "pipes"}, false, false},
    {"sockets", {"test-hoard", "sockets"}, false, false},
    {"a bomb", {"test-hoard", "bomb"}, false, true},
    {"open files", {"test-servers", "hostile", "handles"}, false, false},
    {"sessions", {"test-servers", "hostile", "sessions"}, false, false},
    {"names", {"test-servers", "hostile", "names"}, false, false},
    {"random system calls", {"test-isolation", "random", "100000000"}, false, false},
    {"attempts", {"test-isolation", "attempt"}, true, false},
    {"one that only computes", {"liars", "stuck"}, false, false},
    {"one that answers anything", {"liars", "random"}, false, false},
    {"one that never answers", {"liars", "silent"}, false, false},
    {"one that answers for ever", {"liars", "endless"}, false, false},
    {"one that answers late", {"liars", "slow"}, false, false},
    {"threads that are none", {"lying-threads", "wild"}, false, false},
    {"threads in a circle", {"lying-threads", "circle"}, false, false},
    {"threads that change", {"lying-threads", "change"}, false, false},
    {"random calls of servers", {"besieged", "attack", "calls"}, false, false},
    {"spoilt rings", {"besieged", "attack", "rings"}, false, false},
    {"connections", {"besieged", "attack", "connections"}, false, false},
    {"monitors", {"besieged", "attack", "monitors"}, false, false},
    {"code that changes", {"besieged", "attack", "code"}, false, false},
};
#define KINDS ((u32)ARRAY_SIZE(kinds))

static struct {
    struct thread *thread;
    u32 lives, refused; // atomic
    u32 brief;          // ended by themselves, as few kinds should
    u32 wanted;         // lives; 0: no end of them
} living[KINDS];

static volatile u64 *stop; // of bombs: the page at SLOT_STOP
static struct process_grant grants[3];
static volatile bool over;
static bool stuck; // atomic: some would not end

// ---- what they are given ------------------------------------------------------------------------

static s64 never(struct ipc_request *request)
{
    (void)request;
    return IPC_LATER;
}

static s64 share(const char *name, u32 slot, u32 index, volatile u64 **address)
{
    s64 memory = sys_memory_new(name, 0x1000);
    struct sys_region region = {
        .bytes = 0x1000, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = (cap_t)memory};

    if (memory < 0)
        return memory;
    grants[index] = (struct process_grant){.slot = slot, .cap = (cap_t)memory};
    s64 error = sys_region_create(0, &region);
    *address = (volatile u64 *)region.address;
    return error;
}

static s64 make_grants(void)
{
    static volatile u64 *calls;
    s64 endpoint;

    if (stop != NULL)
        return 0;
    endpoint = ipc_endpoint(never, NULL);
    if (endpoint < 0)
        return endpoint;
    grants[0] = (struct process_grant){.slot = SLOT_DONE, .cap = (cap_t)endpoint};
    s64 error = share("calls", SLOT_COUNT, 1, &calls);
    return error != 0 ? error : share("stop", SLOT_STOP, 2, &stop);
}

// Returns how many processes without rights there are of that name (NULL: of any), and ends them if
// so wanted.
static u32 count_without_rights(const char *name, bool end)
{
    struct sys_process_info infos[16];
    u64 cursor = 0;
    u32 count = 0;
    s64 bytes;

    while ((bytes = sys_process_list(&cursor, infos, sizeof(infos))) > 0)
        for (u64 i = 0; i < (u64)bytes / sizeof(infos[0]); i++) {
            if (infos[i].rights != 0 || infos[i].pid == 0 ||
                (name != NULL && strcmp(infos[i].name, name) != 0))
                continue;
            count++;
            if (end)
                sys_process_kill(infos[i].pid, 0);
        }
    return count;
}

// ---- one kind -----------------------------------------------------------------------------------

static s64 start(u32 index)
{
    const struct kind *kind = &kinds[index];
    const char *argv[ARRAY_SIZE(kind->argv) + 1] = {NULL};
    struct process_spawn how = PROCESS_SPAWN;
    char number[12], path[40];
    u32 count = 0;

    for (; count < ARRAY_SIZE(kind->argv) && kind->argv[count] != NULL; count++)
        argv[count] = kind->argv[count];
    if (kind->numbered) {
        snprintf(number, sizeof(number), "%u", living[index].lives % ATTEMPTS);
        argv[count] = number;
    }
    snprintf(path, sizeof(path), "bin/%s", argv[0]);
    if (kind->multiplies)
        *stop = 0;
    how.path = path;
    how.argv = argv;
    how.name = kind->name;
    how.grants = grants;
    how.grant_count = ARRAY_SIZE(grants);
    return process_spawn(&how);
}

// Returns whether it has lived until it was ended, and not ended by itself.
static bool let_live(s64 pid, u64 us)
{
    s32 status;

    if (process_wait((u32)pid, &status, time_after_us(us)) != E_TIMEOUT)
        return false;
    sys_process_kill((u32)pid, 0);
    process_wait((u32)pid, &status, THREAD_FOREVER);
    return true;
}

// Those that a bomb has started live on, and the next one would be another family.
static void end_family(void)
{
    *stop = 1;
    if (!WAIT_FOR(count_without_rights(BOMB, false) == 0))
        __atomic_store_n(&stuck, true, __ATOMIC_RELAXED);
}

static bool is_enough(u32 index)
{
    return over || (living[index].wanted != 0 && living[index].lives >= living[index].wanted);
}

static s64 keep(void *argument)
{
    u32 index = (u32)(u64)argument, random = index;

    while (!is_enough(index)) {
        s64 pid = start(index);
        random = random * 1664525u + 1013904223u;
        if (pid > 0) {
            living[index].brief += !let_live(pid, LIFE_US + random % LIFE_MORE_US);
            __atomic_fetch_add(&living[index].lives, 1, __ATOMIC_RELAXED);
        } else {
            __atomic_fetch_add(&living[index].refused, 1, __ATOMIC_RELAXED);
            thread_sleep_us(PAUSE_US);
        }
        if (kinds[index].multiplies)
            end_family();
    }
    return 0;
}

// ---- all of them --------------------------------------------------------------------------------

s64 kinds_begin(u32 times)
{
    s64 error = make_grants();

    if (error != 0)
        return error;
    over = false;
    for (u64 i = 0; i < KINDS && error == 0; i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.name = kinds[i].name;
        attributes.cpu = (u32)(i % user_cpu_count()); // each time the same: stacks are kept
        attributes.stack_bytes = THREAD_STACK;
        living[i].wanted = times != 0 ? living[i].lives + times : 0;
        error = thread_create(&living[i].thread, &attributes, keep, (void *)i);
    }
    return error;
}

// A kind that always ends by itself at once does not do what it is there for.
static bool all_have_lived(void)
{
    bool all = true;

    for (u32 i = 0; i < KINDS; i++)
        all = all && (kinds[i].numbered || living[i].brief < living[i].lives);
    return all;
}

bool kinds_end(void)
{
    over = true;
    for (u32 i = 0; i < KINDS; i++) {
        if (living[i].thread != NULL)
            thread_join(living[i].thread, NULL);
        living[i].thread = NULL;
    }
    return WAIT_FOR(count_without_rights(NULL, true) == 0) && !stuck && all_have_lived();
}

u32 kinds_count(void)
{
    return KINDS;
}

u32 kinds_least_lives(void)
{
    u32 least = UINT32_MAX;

    for (u32 i = 0; i < KINDS; i++) {
        u32 lives = __atomic_load_n(&living[i].lives, __ATOMIC_RELAXED);
        least = lives < least ? lives : least;
    }
    return least;
}

void kinds_tell(void)
{
    for (u32 i = 0; i < KINDS; i++)
        printf("besieged: %s: %u lives, %u brief, %u refused\n", kinds[i].name, living[i].lives,
               living[i].brief, living[i].refused);
}
