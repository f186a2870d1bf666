// SPDX-License-Identifier: MIT
// fuzz-monitor SEED: threads on all CPUs that look, until it is killed.
#include "monitor.h"

#include <orrery/process.h>
#include <stdlib.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define THREADS_A_CPU 3
#define PROCESSES 64

struct looker {
    u8 buffer[BUFFER_BYTES];
    struct sys_process_info list[PROCESSES];
};

static u64 seed;
static u32 slot; // of a thread's struct looker

u64 next_random(void)
{
    u64 value = __atomic_add_fetch(&seed, 0x9e3779b97f4a7c15UL, __ATOMIC_RELAXED);
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9UL;
    value = (value ^ value >> 27) * 0x94d049bb133111ebUL;
    return value ^ value >> 31;
}

static struct looker *looker(void)
{
    return thread_get(slot);
}

void *some_buffer(void)
{
    return looker()->buffer;
}

u32 some_pid(void)
{
    struct sys_process_info *list = looker()->list;
    u64 cursor = 0;
    s64 bytes = sys_process_list(&cursor, list, sizeof(looker()->list));

    if (bytes <= 0)
        return 1;
    return list[next_random() % ((u64)bytes / sizeof(list[0]))].pid;
}

static void (*const ways[])(void) = {
    ask_library, ask_library, ask_library,  ask_library, list_regions, scan_objects,
    read_drefs,  read_traces, change_masks, sample,      count,        leave_out,
};

static s64 look(void *argument)
{
    thread_set(slot, argument);
    for (;;)
        ways[next_random() % ARRAY_SIZE(ways)]();
    return 0;
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    slot = (u32)thread_slot();
    for (u32 i = 0; i < THREADS_A_CPU * user_cpu_count(); i++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        struct looker *own = malloc(sizeof(*own));
        attributes.cpu = i % user_cpu_count();
        if (own == NULL || thread_create(NULL, &attributes, look, own) != 0)
            return 1;
    }
    for (;;)
        thread_sleep_us(1000000);
}
