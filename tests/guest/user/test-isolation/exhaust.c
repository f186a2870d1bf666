// SPDX-License-Identifier: MIT
// Processes without rights that take all there is of something. Each then calls the one that
// started it, which has rights, and must be able to go on as before.
#include "attempts.h"

#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <string.h>
#include <user/ipc.h>
#include <user/process.h>

#define PAGE 4096UL
#define CHUNK (1UL << 20)
#define NEEDED (4UL << 20) // bytes that the other one must still get
#define CHILDREN 6000

// ---- the one that must go on -------------------------------------------------------------------

static s64 gets_memory(void)
{
    struct sys_region region = {.bytes = NEEDED, .kind = REGION_COMMIT, .prot = PROT_R | PROT_W};
    s64 error = sys_region_create(0, &region);

    if (error != 0)
        return error;
    error = sys_region_commit(region.address, NEEDED, PROT_R | PROT_W);
    sys_region_destroy(region.address);
    return error;
}

static s64 gets_objects(void)
{
    s64 endpoint = sys_endpoint_create(1);
    s64 memory = sys_memory_new("needed", PAGE);

    if (endpoint > 0) {
        sys_endpoint_destroy((cap_t)endpoint);
        sys_cap_drop((cap_t)endpoint);
    }
    if (memory > 0)
        sys_cap_drop((cap_t)memory);
    return endpoint < 0 ? endpoint : memory < 0 ? memory : 0;
}

// One with a right, as a server that is started again.
static s64 gets_a_process(void)
{
    const char *const argv[] = {"test-isolation", "nothing", "", NULL};
    struct process_spawn how = PROCESS_SPAWN;
    s32 status = 1;

    how.path = "bin/test-isolation";
    how.argv = argv;
    how.rights = RIGHT_MONITOR;
    s64 pid = process_spawn(&how);
    if (pid > 0)
        pid = process_wait((u32)pid, &status, UINT64_MAX);
    return pid < 0 ? pid : status;
}

s64 goes_on(void)
{
    s64 error = gets_memory();

    if (error == 0)
        error = gets_objects();
    return error != 0 ? error : gets_a_process();
}

// ---- those that take ---------------------------------------------------------------------------

static void expect(bool good, s32 otherwise)
{
    if (!good)
        sys_exit(otherwise);
}

static void other_goes_on(void)
{
    struct ipc_message message = {.words = {VICTIM_GOES_ON}};

    expect(ipc_call(SLOT_VICTIM, &message) == 0, 9);
    expect(message.words[0] == 0, (s32)message.words[0]);
}

// Chunks as long as there are, then single pages.
void all_memory(u64 unused)
{
    s64 error = 0;

    (void)unused;
    for (u64 bytes = CHUNK; bytes >= PAGE; bytes = error == 0 ? bytes : bytes / 2) {
        struct sys_region region = {.bytes = bytes, .kind = REGION_COMMIT, .prot = PROT_R};
        error = sys_region_create(0, &region);
        if (error == 0)
            error = sys_region_commit(region.address, bytes, PROT_R | PROT_W);
    }
    expect(error == E_NOMEM || error == E_LIMIT, 1);
    other_goes_on();
}

void all_processes(u64 unused)
{
    const struct sys_process_new wanted = {.name = "one more", .priority = PROCESS_LOW};
    s64 child = 0;

    (void)unused;
    for (u32 i = 0; i < CHILDREN && child >= 0; i++)
        child = sys_process_create(&wanted);
    expect(child == E_LIMIT || child == E_NOMEM, 1);
    other_goes_on();
}

// As many objects as it may have, with as much behind each as there is.
void all_objects(u64 unused)
{
    s64 cap = 0;

    (void)unused;
    for (u64 i = 0; cap >= 0; i++)
        cap = i % 4 == 0 ? sys_endpoint_create(i) : sys_memory_new("object", USER_END / 2);
    expect(cap == E_LIMIT || cap == E_NOMEM, 1);
    other_goes_on();
}

// Nor is a child more urgent than its parent.
void no_urgent_child(u64 unused)
{
    const struct sys_process_new urgent = {.name = "urgent", .priority = PROCESS_HIGH};

    (void)unused;
    expect(sys_process_create(&urgent) == E_INVAL, 1);
}
