// SPDX-License-Identifier: MIT
// A process's own log of a CPU. A thread there asks the owner of the logs for an area, and stays
// until the owner wants it back or ends. The owner is not trusted: what it gives has to be memory
// that is all there, so that writing to it never waits for anybody and never fails.
#include <user/attach_log.h>

#include <ipc/log.h>
#include <ipc/names.h>
#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <user/log.h>
#include <user/own_log.h>
#include <user/scheduler.h>
#include <user/thread.h>

#define PAGE_BYTES 0x1000UL
#define AREA_PAGES (LOG_AREA_BYTES / PAGE_BYTES)
#define TRIES 8 // another thread may take the addresses meanwhile
#define STACK_BYTES 0x8000

// By CPU, atomic: as attach_log_state tells it. A thread is there with 0 and E_AGAIN.
static s64 states[ORRERY_MAX_CPUS] = {[0 ... ORRERY_MAX_CPUS - 1] = E_NOENT};

// ---- the area -----------------------------------------------------------------------------------

static s64 map_at(u64 address, cap_t memory)
{
    struct sys_region area = {.address = address,
                              .bytes = LOG_AREA_BYTES,
                              .kind = REGION_SHARED,
                              .prot = PROT_R | PROT_W,
                              .memory = memory};
    struct sys_region scratch = {.address = address + LOG_AREA_BYTES,
                                 .bytes = PAGE_BYTES,
                                 .kind = REGION_ANONYMOUS,
                                 .prot = PROT_R | PROT_W};
    s64 error = sys_region_create(0, &area);

    if (error != 0)
        return error;
    error = sys_region_create(0, &scratch);
    if (error != 0)
        sys_region_destroy(address);
    return error;
}

// Maps an area with a page of scratch behind it, where rows end that begin at the area's end.
static s64 map_area(cap_t memory, u8 **area)
{
    s64 error = E_EXIST;

    for (u32 i = 0; i < TRIES && error == E_EXIST; i++) {
        struct sys_region place = {.bytes = LOG_AREA_BYTES + PAGE_BYTES,
                                   .kind = REGION_ANONYMOUS,
                                   .prot = PROT_R | PROT_W};
        error = sys_region_create(0, &place);
        if (error != 0)
            return error;
        sys_region_destroy(place.address);
        error = map_at(place.address, memory);
        *area = (u8 *)place.address;
    }
    return error;
}

// Is it memory that is all there, and stays? Pages of a file come from a server, and may go again;
// those of other memory stay. For a file, sys_file_take gives another error than E_INVAL.
static bool is_area(cap_t memory, u8 *area)
{
    struct sys_region_info info;
    u64 cursor = (u64)area;

    return sys_file_take(memory, 0, area + LOG_AREA_BYTES) == E_INVAL &&
           sys_region_list(0, &cursor, &info, sizeof(info)) > 0 && info.address == (u64)area &&
           info.resident_pages == AREA_PAGES;
}

// ---- attached -----------------------------------------------------------------------------------

static void set_state(u32 cpu, s64 state)
{
    __atomic_store_n(&states[cpu], state, __ATOMIC_RELEASE);
}

// Logs until the owner wants the area back. Returns why there is no log (any more).
static s64 write_log(cap_t server, u32 cpu, cap_t memory, u32 domain)
{
    u8 *area;

    if (domain >= LOG_DOMAINS || sys_memory_bytes(memory) != LOG_AREA_BYTES)
        return E_PROTO;
    s64 error = map_area(memory, &area);
    if (error != 0)
        return error == E_PERM ? E_PROTO : error; // it is for reading alone
    error = is_area(memory, area) ? E_NOENT : E_PROTO;
    if (error == E_NOENT) {
        own_log_begin(area, domain);
        set_state(cpu, 0);
        log_stay(server, cpu);
        own_log_end();
    }
    sys_region_destroy((u64)area);
    sys_region_destroy((u64)area + LOG_AREA_BYTES);
    return error;
}

// Whatever the owner has answered, the next attempt is not refused because of it: 0 and E_AGAIN
// would say for ever that a thread is there.
static s64 may_be_tried_again(s64 error)
{
    return error >= 0 || error == E_AGAIN ? E_PROTO : error;
}

static s64 attached(void *argument)
{
    u32 cpu = (u32)(u64)argument, domain;
    cap_t server, memory;
    s64 error = names_lookup(CAP_NAMES, LOG_SERVICE, &server);

    if (error == 0) {
        error = log_attach(server, cpu, &memory, &domain);
        if (error == 0) {
            error = write_log(server, cpu, memory, domain);
            sys_cap_drop(memory);
        }
        sys_cap_drop(server);
    }
    set_state(cpu, may_be_tried_again(error));
    return error;
}

s64 attach_log(u32 cpu)
{
    struct thread_attributes attributes = {.name = "log",
                                           .cpu = cpu,
                                           .priority = THREAD_PRIORITY_LIBRARY,
                                           .stack_bytes = STACK_BYTES,
                                           .detached = true,
                                           .pinned = true};
    s64 state = attach_log_state(cpu);

    if (cpu >= ORRERY_MAX_CPUS || !(user_dispatchers() >> cpu & 1))
        return E_NOENT;
    if (state == 0 || state == E_AGAIN)
        return state == 0 ? E_EXIST : E_BUSY;
    set_state(cpu, E_AGAIN);
    s64 error = thread_create(NULL, &attributes, attached, (void *)(u64)cpu);
    if (error != 0)
        set_state(cpu, error);
    return error;
}

s64 attach_log_state(u32 cpu)
{
    return cpu < ORRERY_MAX_CPUS ? __atomic_load_n(&states[cpu], __ATOMIC_ACQUIRE) : E_NOENT;
}
