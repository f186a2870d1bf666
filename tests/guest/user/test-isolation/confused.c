// SPDX-License-Identifier: MIT
// Capabilities where they do not belong: of another type, gone, never there, another's. Each call
// has to refuse them, and to take and give back no reference: what they name goes on as before.
#include "attempts.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <string.h>
#include <user/ipc.h>

#define ROUNDS 200
#define PAGE 4096

static u8 page[PAGE];

static s64 as_region_child(cap_t cap)
{
    struct sys_region region = {.bytes = PAGE, .kind = REGION_ANONYMOUS, .prot = PROT_R};
    return sys_region_create(cap, &region);
}

static s64 as_region_memory(cap_t cap)
{
    struct sys_region region = {
        .bytes = PAGE, .kind = REGION_SHARED, .prot = PROT_R, .memory = cap};
    return sys_region_create(0, &region);
}

static s64 as_written(cap_t cap)
{
    return sys_process_write(cap, USER_IMAGE, page, sizeof(page));
}

static s64 as_granting(cap_t cap)
{
    return sys_process_grant(cap, 1, SLOT_VICTIM);
}

static s64 as_started(cap_t cap)
{
    const struct sys_process_start start = {.pc = USER_IMAGE};
    return sys_process_start(cap, &start);
}

static s64 as_pid(cap_t cap)
{
    return sys_process_pid(cap);
}

static s64 as_bytes(cap_t cap)
{
    return sys_memory_bytes(cap);
}

static s64 as_file_endpoint(cap_t cap)
{
    return sys_file_create(cap, (u64)page, "confused", PAGE);
}

static s64 as_supplied(cap_t cap)
{
    return sys_file_supply(cap, 0, page, 0);
}

static s64 as_taken(cap_t cap)
{
    return sys_file_take(cap, 0, page);
}

static s64 as_resized(cap_t cap)
{
    return sys_file_resize(cap, PAGE, true);
}

static s64 as_destroyed(cap_t cap)
{
    return sys_endpoint_destroy(cap);
}

enum thing { ENDPOINT = 1, PROCESS = 2, MEMORY = 4 };

static const struct use {
    s64 (*with)(cap_t cap);
    u32 fits; // enum thing: what may be given
} uses[] = {
    {as_region_child, PROCESS}, {as_region_memory, MEMORY},   {as_written, PROCESS},
    {as_granting, PROCESS},     {as_started, PROCESS},        {as_pid, PROCESS},
    {as_bytes, MEMORY},         {as_file_endpoint, ENDPOINT}, {as_supplied, MEMORY},
    {as_taken, MEMORY},         {as_resized, MEMORY},         {as_destroyed, ENDPOINT},
};

static void expect(bool good, s32 otherwise)
{
    if (!good)
        sys_exit(otherwise);
}

static void use_wrongly(cap_t cap, u32 thing, s64 error)
{
    for (u32 i = 0; i < ARRAY_SIZE(uses); i++) {
        if (!(uses[i].fits & thing))
            expect(uses[i].with(cap) == error, (s32)(100 + i));
    }
}

// More uses than there can be references: one that is given back and was not taken
// ends the object at once.
void capabilities_confused(u64 unused)
{
    const struct sys_process_new wanted = {.name = "child", .priority = PROCESS_NORMAL};
    s64 endpoint = sys_endpoint_create(1), memory = sys_memory_new("memory", PAGE);
    s64 child = sys_process_create(&wanted), gone = sys_endpoint_create(2);

    (void)unused;
    expect(endpoint > 0 && memory > 0 && child > 0 && gone > 0, 1);
    expect(sys_cap_drop((cap_t)gone) == 0, 2);
    for (u32 round = 0; round < ROUNDS; round++) {
        use_wrongly((cap_t)endpoint, ENDPOINT, E_INVAL);
        use_wrongly((cap_t)memory, MEMORY, E_INVAL);
        use_wrongly((cap_t)child, PROCESS, E_INVAL);
        use_wrongly((cap_t)gone, 0, E_NOENT);
        use_wrongly(4095, 0, E_NOENT);
        use_wrongly(UINT32_MAX, 0, E_NOENT);
    }
    expect(sys_memory_bytes((cap_t)memory) == PAGE && sys_process_pid((cap_t)child) > 0, 3);
    struct sys_region region = {
        .bytes = PAGE, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = (cap_t)memory};
    expect(sys_region_create(0, &region) == 0, 4);
    memset((void *)region.address, 1, PAGE);
    expect(sys_region_destroy(region.address) == 0 && sys_cap_drop((cap_t)memory) == 0, 5);
    expect(sys_endpoint_destroy((cap_t)endpoint) == 0, 6);
    expect(sys_process_kill((u32)sys_process_pid((cap_t)child), 0) == 0, 7);
}

// What belongs to others: an endpoint that the one who started this process serves, which it may
// call. The server must be asked for no page, by no token, and go on to answer.
void another_s_endpoint(u64 unused)
{
    struct ipc_message message = {.words = {1, 2, 3}};

    (void)unused;
    for (u64 token = 0; token < 64; token++) {
        s64 file = sys_file_create(SLOT_VICTIM, (u64)page + token, "another's", PAGE);
        if (file < 0) {
            expect(file == E_PERM, 1);
            continue;
        }
        struct sys_region region = {
            .bytes = PAGE, .kind = REGION_SHARED, .prot = PROT_R, .memory = (cap_t)file};
        expect(sys_region_create(0, &region) == 0, 2);
        expect(*(volatile u8 *)region.address == 0, 3);
    }
    expect(sys_endpoint_destroy(SLOT_VICTIM) == E_PERM, 4);
    expect(ipc_call(SLOT_VICTIM, &message) == 0 && message.words[0] == 6, 5);
}

static s64 serve(struct ipc_request *request)
{
    if (request->call != 0 && request->words[0] == VICTIM_GOES_ON)
        request->reply[0] = (u64)goes_on();
    else if (request->call != 0)
        request->reply[0] = request->words[0] + request->words[1] + request->words[2];
    return 0;
}

cap_t victim(void)
{
    static s64 endpoint;

    if (endpoint == 0)
        endpoint = ipc_endpoint(serve, NULL);
    return (cap_t)endpoint;
}
