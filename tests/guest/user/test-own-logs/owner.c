// SPDX-License-Identifier: MIT
// The owner of programs' logs, which gives good areas or worse, and a name service in which there
// is nothing else.
#include "tests.h"

#include <expect.h>
#include <ipc/log.h>
#include <ipc/names.h>
#include <orrery/errors.h>
#include <orrery/memory.h>
#include <string.h>
#include <user/lock.h>
#include <user/log.h>
#include <user/time.h>
#include <waiting.h>

#define STAY_MAX 64

static const struct ipc_service log_service = {log_dispatch, NULL};
static const struct ipc_service names_service = {names_dispatch, NULL};
static s64 log_endpoint, names_endpoint, file_endpoint;
static cap_t served; // what "log" is: 0: nothing
static u64 stays[STAY_MAX];
static u32 stay_count, attached, mute;
static struct semaphore speak;
enum gift owner_gift;
u8 *owner_area;

// ---- names --------------------------------------------------------------------------------------

s64 names_server_lookup(struct ipc_caller *caller, const char *name, cap_t *endpoint)
{
    (void)caller;
    if (strcmp(name, LOG_SERVICE) != 0)
        return E_PERM;
    *endpoint = __atomic_load_n(&served, __ATOMIC_RELAXED);
    return *endpoint != 0 ? 0 : E_NOENT;
}

s64 names_server_register(struct ipc_caller *caller, const char *name, cap_t endpoint)
{
    (void)caller;
    (void)name;
    __atomic_store_n(&served, endpoint, __ATOMIC_RELAXED);
    return 0;
}

s64 names_server_unregister(struct ipc_caller *caller, const char *name)
{
    (void)caller;
    (void)name;
    return E_PERM;
}

s64 names_server_list(struct ipc_caller *caller, u32 index, char *name, u64 name_room, u32 *pid,
                      u32 *starts)
{
    (void)caller;
    (void)index;
    (void)name;
    (void)name_room;
    (void)pid;
    (void)starts;
    return E_NOENT;
}

// ---- areas --------------------------------------------------------------------------------------

cap_t make_area(u8 **address)
{
    s64 memory = sys_memory_new("log", LOG_AREA_BYTES);
    struct sys_region region = {.bytes = LOG_AREA_BYTES,
                                .kind = REGION_SHARED,
                                .prot = PROT_R | PROT_W,
                                .memory = (cap_t)memory};

    EXPECT(memory > 0 && sys_region_create(0, &region) == 0);
    u8 *area = (u8 *)region.address;
    struct log_head *head = (struct log_head *)area;
    memset(area, 0, LOG_AREA_BYTES);
    EXPECT(log_file_lay_out(area, PLACE, BASE, CONTROL, (u32)(time_now() / 64)) == 0);
    head->run_queue = LOG_SELECTOR(0, PLACE);
    for (u32 domain = DOMAIN; domain <= THREAD_DOMAIN; domain++) {
        struct log_descriptor *descriptor = &head->domains[domain];
        for (u32 event = 0; event < LOG_EVENTS; event++)
            descriptor->selectors[event] = LOG_SELECTOR(0, PLACE);
        descriptor->thresholds[EVENT_THIRD] = (struct log_threshold){-3, 3};
    }
    *address = area;
    return (cap_t)memory;
}

static s64 give_sealed(void)
{
    cap_t memory = make_area(&owner_area);

    EXPECT(sys_memory_seal(memory) == 0);
    return memory;
}

static s64 give_readable(void)
{
    cap_t memory = make_area(&owner_area);
    s64 readable = sys_memory_readable(memory);

    EXPECT(readable > 0);
    sys_cap_drop(memory);
    return readable;
}

static s64 give(enum gift gift)
{
    static const s64 answers[GIFTS] = {[GIFT_REFUSAL] = E_LIMIT,
                                       [GIFT_AGAIN] = E_AGAIN,
                                       [GIFT_STALE] = E_STALE,
                                       [GIFT_STRANGE] = -12345,
                                       [GIFT_POSITIVE] = 7};

    switch (gift) {
    case GIFT_AREA:
    case GIFT_DOMAIN:
        return make_area(&owner_area);
    case GIFT_SHORT:
        return sys_memory_new("log", LOG_AREA_BYTES - 0x1000);
    case GIFT_LONG:
        return sys_memory_new("log", LOG_AREA_BYTES + 0x1000);
    case GIFT_FILE:
        return sys_file_create((cap_t)file_endpoint, 0, "log", LOG_AREA_BYTES);
    case GIFT_INITRD:
        return sys_initrd();
    case GIFT_ENDPOINT:
        return ipc_endpoint(NULL, NULL);
    case GIFT_EMPTY:
        return sys_memory_new("log", LOG_AREA_BYTES);
    case GIFT_SEALED:
        return give_sealed();
    case GIFT_READABLE:
        return give_readable();
    default:
        return answers[gift];
    }
}

// Those who are given nothing get an area at last, of which the master keeps nothing.
static s64 give_late(void)
{
    u8 *area;

    __atomic_fetch_add(&mute, 1, __ATOMIC_RELAXED);
    semaphore_down(&speak);
    s64 memory = make_area(&area);
    sys_region_destroy((u64)area);
    return memory;
}

s64 log_server_attach(struct ipc_caller *caller, u32 cpu, cap_t *area, u32 *domain)
{
    enum gift gift = owner_gift;
    s64 given = gift == GIFT_NOTHING ? give_late() : give(gift);

    (void)cpu;
    if ((gift >= GIFT_REFUSAL && gift != GIFT_NOTHING) || given < 0)
        return given;
    *area = (cap_t)given;
    *domain = gift == GIFT_DOMAIN ? LOG_DOMAINS : DOMAIN;
    caller->drop_answer = true;
    __atomic_fetch_add(&attached, 1, __ATOMIC_RELAXED);
    return 0;
}

s64 log_server_stay(struct ipc_caller *caller, u32 cpu)
{
    u32 place = __atomic_fetch_add(&stay_count, 1, __ATOMIC_RELAXED);

    (void)cpu;
    if (place >= STAY_MAX)
        return E_LIMIT;
    __atomic_store_n(&stays[place], caller->call, __ATOMIC_RELEASE);
    return IPC_LATER;
}

void owner_speaks(u32 count)
{
    for (u32 i = 0; i < count; i++)
        semaphore_up(&speak);
}

u32 owner_mute(void)
{
    return __atomic_load_n(&mute, __ATOMIC_RELAXED);
}

u32 owner_attached(void)
{
    return __atomic_load_n(&attached, __ATOMIC_RELAXED);
}

void owner_lets_go(void)
{
    // It may have told that it has the log a moment before it stays.
    EXPECT(WAIT_FOR(__atomic_load_n(&stays[0], __ATOMIC_ACQUIRE) != 0));
    for (u32 i = 0; i < STAY_MAX && stays[i] != 0; i++)
        log_answer_stay(stays[i], 0); // some have ended
    memset(stays, 0, sizeof(stays));
    stay_count = 0;
}

void owner_serves(bool serves)
{
    __atomic_store_n(&served, serves ? (cap_t)log_endpoint : 0, __ATOMIC_RELAXED);
}

cap_t owner_names(void)
{
    return (cap_t)names_endpoint;
}

void owner_begin(void)
{
    log_endpoint = ipc_interface_endpoint(&log_service);
    names_endpoint = ipc_interface_endpoint(&names_service);
    file_endpoint = ipc_endpoint(NULL, NULL);
    EXPECT(log_endpoint > 0 && names_endpoint > 0 && file_endpoint > 0);
    owner_serves(true);
}

// ---- another owner ------------------------------------------------------------------------------

// Registers itself, and serves until it is killed.
int own(void)
{
    owner_begin();
    if (names_register(CAP_NAMES, LOG_SERVICE, (cap_t)log_endpoint) != 0)
        return 1;
    return tell(0, 0, NULL, 0) == 0 ? sleep_for_ever() : 2;
}
