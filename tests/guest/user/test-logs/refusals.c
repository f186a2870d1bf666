// SPDX-License-Identifier: MIT
// Each wrong request gets its error, and changes nothing.
#include "tests.h"

#include <expect.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <user/ipc.h>
#include <user/scheduler.h>

#define PAGE_BYTES 0x1000UL
#define POOR_BYTES 0x200000UL
#define ROOM 0x10000000UL // address space for more pages than the limit

int refused_without_right(void)
{
    EXPECT(sys_log_area(CAP_PARENT, 0) == E_PERM);
    EXPECT(sys_log_domain((u32)sys_process_pid(0), 0, 1) == E_PERM);
    EXPECT(sys_log_enable(LOG_OF_CALLS, true) == E_PERM);
    EXPECT(sys_log_quiesce(0) == E_PERM);
    EXPECT(sys_log_close() == E_PERM);
    return expect_status();
}

int refused_beside_owner(void)
{
    EXPECT(area_add(0, NULL) == E_BUSY);
    EXPECT(sys_log_domain((u32)sys_process_pid(0), 0, 1) == E_BUSY);
    EXPECT(sys_log_enable(LOG_OF_CALLS, false) == E_BUSY);
    EXPECT(sys_log_quiesce(0) == E_BUSY);
    EXPECT(sys_log_close() == E_BUSY);
    return expect_status();
}

// With a limit, all of which it has used up.
int refused_without_memory(void)
{
    struct sys_region region = {.bytes = ROOM, .kind = REGION_COMMIT, .prot = PROT_R | PROT_W};
    s64 memory = sys_memory_new("log", LOG_AREA_BYTES), error = 0;

    EXPECT(memory > 0 && sys_region_create(0, &region) == 0);
    for (u64 at = 0; at < ROOM && error == 0; at += PAGE_BYTES)
        error = sys_region_commit(region.address + at, PAGE_BYTES, PROT_R | PROT_W);
    EXPECT(error == E_NOMEM || error == E_LIMIT);
    s64 refused = sys_log_area((cap_t)memory, 0);
    sys_region_destroy(region.address); // what follows may need a page
    EXPECT(refused == E_NOMEM);
    EXPECT(sys_log_close() == E_NOENT); // it has become no owner
    return expect_status();
}

static void wrong_memory(void)
{
    s64 endpoint = ipc_endpoint(NULL, NULL), initrd = sys_initrd();
    s64 file = sys_file_create((cap_t)endpoint, 0, "log", LOG_AREA_BYTES);
    static const u64 sizes[] = {PAGE_BYTES, LOG_AREA_BYTES - PAGE_BYTES,
                                LOG_AREA_BYTES + PAGE_BYTES, 2 * LOG_AREA_BYTES};

    EXPECT(endpoint > 0 && file > 0 && initrd > 0);
    EXPECT(sys_log_area((cap_t)file, 0) == E_INVAL);
    EXPECT(sys_log_area((cap_t)initrd, 0) == E_INVAL);
    EXPECT(sys_log_area((cap_t)endpoint, 0) == E_INVAL);
    s64 writable = sys_memory_new("log", LOG_AREA_BYTES);
    s64 readable = sys_memory_readable((cap_t)writable);
    EXPECT(readable > 0 && sys_log_area((cap_t)readable, 0) == E_INVAL);
    sys_cap_drop((cap_t)readable);
    sys_cap_drop((cap_t)writable);
    EXPECT(sys_log_area(CAP_FIRST_FREE + 4000, 0) == E_NOENT);
    for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
        s64 memory = sys_memory_new("log", sizes[i]);
        EXPECT(memory > 0 && sys_log_area((cap_t)memory, 0) == E_INVAL);
        sys_cap_drop((cap_t)memory);
    }
    sys_cap_drop((cap_t)file);
    sys_cap_drop((cap_t)initrd);
    ipc_endpoint_close((cap_t)endpoint);
    EXPECT(area_add(user_cpu_count(), NULL) == E_INVAL);
    EXPECT(area_add(UINT32_MAX, NULL) == E_INVAL);
}

static void without_owner(void)
{
    EXPECT(sys_log_domain((u32)sys_process_pid(0), 0, 1) == E_NOENT);
    EXPECT(sys_log_enable(LOG_OF_CALLS, true) == E_NOENT);
    EXPECT(sys_log_quiesce(0) == E_NOENT);
    EXPECT(sys_log_close() == E_NOENT);
}

static void wrong_domains(void)
{
    u32 self = (u32)sys_process_pid(0);

    EXPECT(sys_log_domain(self, 0, LOG_DOMAINS) == E_INVAL);
    EXPECT(sys_log_domain(self, 0, UINT32_MAX) == E_INVAL);
    EXPECT(sys_log_domain(0, UINT32_MAX, 1) == E_NOENT);
    EXPECT(sys_log_domain(0, 0, 1) == 0); // the kernel's threads
    EXPECT(sys_log_domain(0, 0, LOG_DOMAINS) == E_INVAL);
    EXPECT(sys_log_domain(UINT32_MAX, 0, 1) == E_NOENT);
    EXPECT(sys_log_domain(self, UINT32_MAX, 1) == E_NOENT);
    EXPECT(sys_log_domain(self, 0, LOG_DOMAINS - 1) == 0);
    EXPECT(sys_log_domain(self, 0, 0) == 0);
}

static void wrong_characteristics(void)
{
    EXPECT(sys_log_enable(LOG_CHARACTERISTICS, true) == E_INVAL);
    EXPECT(sys_log_enable(UINT32_MAX, false) == E_INVAL);
    hardware_without_unit();
    EXPECT(sys_log_quiesce(user_cpu_count()) == E_INVAL);
    EXPECT(sys_log_quiesce(UINT32_MAX) == E_INVAL);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        EXPECT(sys_log_quiesce(cpu) == 0);
}

static s32 run_child(const char *role, u32 rights, u64 memory_limit)
{
    struct child child = {.role = role, .rights = rights, .memory_limit = memory_limit};

    return child_end(child_start(&child));
}

// Two CPUs that write into one register would each undo what the other does.
static void one_memory_is_one_area(void)
{
    s64 memory = sys_memory_new("log", LOG_AREA_BYTES);

    EXPECT(memory > 0 && sys_log_area((cap_t)memory, 0) == 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++)
        EXPECT(sys_log_area((cap_t)memory, cpu) == E_EXIST);
    EXPECT(sys_log_close() == 0);
    EXPECT(sys_log_area((cap_t)memory, 0) == 0); // it was let go
    EXPECT(sys_log_close() == 0);
    sys_cap_drop((cap_t)memory);
}

void refusals(void)
{
    without_owner();
    wrong_memory();
    without_owner(); // what was refused has made nobody the owner
    EXPECT(run_child("without-right", RIGHT_ALL & ~RIGHT_MONITOR, 0) == 0);
    EXPECT(run_child("without-memory", RIGHT_MONITOR, POOR_BYTES) == 0);
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        for (u32 number = 0; number < LOG_AREAS; number++)
            EXPECT(area_add(cpu, NULL) == number);
        EXPECT(area_add(cpu, NULL) == E_LIMIT);
    }
    wrong_memory();
    wrong_domains();
    wrong_characteristics();
    EXPECT(run_child("beside-owner", RIGHT_ALL, 0) == 0);
    EXPECT(sys_log_close() == 0);
    one_memory_is_one_area();
    without_owner();
}
