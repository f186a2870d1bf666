// SPDX-License-Identifier: MIT
// A child whose threads, on all CPUs, do anything to a small piece of its address space, over a
// memory object and a file that changes under it. Nothing is expected but that calls return, and
// that all memory is back at the end.
#include "tests.h"

#include <orrery/ipc.h>
#include <orrery/sys.h>
#include <string.h>
#include <user/ipc.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <waiting.h>

#define BASE 0x40000000UL
#define WINDOW_PAGES 96
#define FILE_PAGES 64
#define ROUNDS 1500
#define SLACK_BYTES 0x200000
#define WORDS (PAGE / 8)

static u64 next(u64 *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

// ---- the child ----------------------------------------------------------------------------------

static cap_t memory;

static void create(u64 address, u64 random)
{
    static const u32 prots[] = {PROT_R | PROT_W, PROT_R | PROT_W, PROT_R, PROT_R | PROT_X, 0};
    struct sys_region region = {
        .address = address,
        .bytes = (1 + random % 24) * PAGE,
        .kind = 1 + (u32)(random >> 8) % 5,
        .prot = prots[(random >> 16) % ARRAY_SIZE(prots)],
        .memory = (random >> 24) % 2 ? GRANTED : memory,
        .flags = (random >> 28) % 2 ? REGION_DISTRIBUTED : 0,
        .offset = (random >> 32) % 40 * PAGE,
    };
    sys_region_create(0, &region);
}

static void act(u64 random)
{
    static const u32 prots[] = {PROT_R | PROT_W, PROT_R, PROT_R | PROT_X, 0};
    u64 address = BASE + (random >> 8) % WINDOW_PAGES * PAGE;
    u64 bytes = (1 + (random >> 20) % 16) * PAGE;
    u32 prot = prots[(random >> 30) % ARRAY_SIZE(prots)];
    u32 word;

    switch (random % 16) {
    case 0:
    case 1:
        create(address, random >> 13);
        break;
    case 2:
        sys_region_destroy(address);
        break;
    case 3:
        sys_region_resize(address, bytes);
        break;
    case 4:
        sys_region_protect(address, bytes, prot);
        break;
    case 5:
        sys_region_commit(address, bytes, prot);
        break;
    case 6:
        sys_region_decommit(address, bytes);
        break;
    case 7:
        sys_text_patch(address, 0, 0x60000000);
        break;
    case 8:
        can_read((u64)&word); // somebody must also do something harmless
        break;
    case 9:
    case 10:
    case 11:
        can_write(address + (random >> 40) % (4 * PAGE));
        break;
    default:
        can_read(address);
    }
}

static s64 rage(void *argument)
{
    u64 random = 0x9e3779b97f4a7c15 ^ (u64)argument << 32 ^ user_cpu();

    for (u32 i = 0; i < ROUNDS; i++)
        act(next(&random));
    return 0;
}

int child_chaos(const char *name)
{
    struct thread *threads[ORRERY_MAX_CPUS];

    if (strcmp(name, "chaos") != 0)
        return -1;
    memory = (cap_t)sys_memory_new("chaos", 32 * PAGE);
    for (u64 cpu = 0; cpu < user_cpu_count(); cpu++) {
        struct thread_attributes attributes = THREAD_ATTRIBUTES;
        attributes.cpu = (u32)cpu;
        if (thread_create(&threads[cpu], &attributes, rage, (void *)cpu) != 0)
            return 1;
    }
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        thread_join(threads[cpu], NULL);
    return 0;
}

// ---- its file's server --------------------------------------------------------------------------

static cap_t file;

static s64 serve(struct ipc_request *request)
{
    static u64 page[WORDS], random = 12345;
    u64 what = request->words[0], offset = request->words[1];

    if (what == FILE_WRITE)
        sys_file_take(file, offset, page);
    if (what != FILE_FETCH)
        return 0;
    if (next(&random) % 8 == 0)
        sys_file_resize(file, (1 + random % FILE_PAGES) * PAGE, (random >> 20) % 2);
    sys_file_supply(file, offset, page, (random >> 30) % 16 == 0 ? E_IO : 0);
    return 0;
}

static u64 free_bytes(void)
{
    struct sys_info info;

    return sys_info(&info) == 0 ? info.free_bytes : 0;
}

void test_chaos(void)
{
    s64 endpoint = ipc_endpoint(serve, NULL);

    file = (cap_t)sys_file_create((cap_t)endpoint, ipc_badge((cap_t)endpoint), "chaos",
                                  FILE_PAGES * PAGE);
    CHECK_IS(run_child("chaos", 4000 * PAGE, file), 0);
    u64 before = free_bytes();
    for (u32 i = 0; i < 3; i++)
        CHECK_IS(run_child("chaos", 4000 * PAGE, file), 0);
    CHECK_IS(WAIT_FOR(free_bytes() + SLACK_BYTES > before), true); // objects go after quiescence
    CHECK_IS(sys_cap_drop(file), 0);
    CHECK_IS(ipc_endpoint_close((cap_t)endpoint), 0);
}
