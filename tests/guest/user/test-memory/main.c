// SPDX-License-Identifier: MIT
// Memory as a process sees it. The last line is "test-memory: N passed, N failed".
#include "tests.h"

#include <orrery/sys.h>
#include <stdio.h>
#include <string.h>
#include <user/process.h>
#include <user/thread.h>

static u64 passed, failed;

void check_is(const char *what, const char *file, int line, s64 got, s64 expected)
{
    if (got == expected) {
        __atomic_fetch_add(&passed, 1, __ATOMIC_RELAXED);
        return;
    }
    __atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
    printf("FAILED %s:%d: %s is %ld, expected %ld\n", file, line, what, got, expected);
}

u64 make_region(u32 kind, u64 bytes, u32 prot, cap_t memory, u32 flags)
{
    struct sys_region region = {
        .bytes = bytes, .kind = kind, .prot = prot, .memory = memory, .flags = flags};

    CHECK_IS(sys_region_create(0, &region), 0);
    return region.address;
}

// An option's name is read by the kernel; there is none with an empty name.
s64 can_read(u64 address)
{
    char value[8];

    return sys_option((const char *)address, value, sizeof(value)) == E_FAULT ? E_FAULT : 0;
}

s64 can_write(u64 address)
{
    return sys_trace_event_get(0, (struct sys_trace_event *)address) == E_FAULT ? E_FAULT : 0;
}

static struct sys_process_info own_info(void)
{
    static struct sys_process_info list[64];
    u64 cursor = 0;
    s64 bytes;

    while ((bytes = sys_process_list(&cursor, list, sizeof(list))) > 0) {
        for (u32 i = 0; i < (u64)bytes / sizeof(list[0]); i++) {
            if (list[i].pid == sys_process_pid(0))
                return list[i];
        }
    }
    return (struct sys_process_info){0};
}

u64 resident(void)
{
    return own_info().memory_pages;
}

coid_t own_object(void)
{
    return own_info().object;
}

static bool has_child(const struct sys_object *object, coid_t child)
{
    for (u32 i = 0; i < object->child_count; i++) {
        if (object->children[i] == child)
            return true;
    }
    return false;
}

bool names_child(coid_t parent, coid_t child)
{
    static u64 buffer[8192];
    u64 cursor = 0;
    s64 bytes;

    while ((bytes = sys_object_scan(&cursor, buffer, sizeof(buffer))) > 0) {
        const char *at = (const char *)buffer, *end = at + bytes;
        while (at < end) {
            const struct sys_object *object = (const struct sys_object *)at;
            if (object->coid == parent)
                return has_child(object, child);
            at += object->record_bytes;
        }
    }
    return false;
}

s64 start_child(const char *scenario, u64 memory_limit, cap_t grant)
{
    const char *const argv[] = {"test-memory", scenario, NULL};
    struct process_grant grants[] = {{.slot = GRANTED, .cap = grant}};
    struct process_spawn how = PROCESS_SPAWN;

    how.path = "bin/test-memory";
    how.argv = argv;
    how.rights = PROCESS_SAME_RIGHTS;
    how.memory_limit = memory_limit;
    how.grants = grants;
    how.grant_count = grant != 0;
    return process_spawn(&how);
}

s32 end_of_child(s64 pid)
{
    s32 status = -1;

    if (pid < 0)
        return (s32)pid;
    CHECK_IS(process_wait((u32)pid, &status, THREAD_FOREVER), pid);
    return status;
}

s32 run_child(const char *scenario, u64 memory_limit, cap_t grant)
{
    return end_of_child(start_child(scenario, memory_limit, grant));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child_scenario(argv[1]);
    test_regions();
    test_sharing();
    test_files();
    test_storm();
    test_chaos();
    test_reclaim();
    test_crashes();
    printf("test-memory: %lu passed, %lu failed\n", passed, failed);
    return failed != 0;
}
