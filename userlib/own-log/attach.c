// SPDX-License-Identifier: MIT
// A process's own log of a CPU. A thread there asks the owner of the logs for an area, and stays
// until the owner wants it back or ends. The owner is not trusted: what it gives has to be memory
// that is all there, so that writing to it never waits for anybody and never fails. It may never
// answer: a call cannot be taken back, so its thread stays, and the next attempt has another one.
#include <user/attach_log.h>

#include <ipc/log.h>
#include <ipc/names.h>
#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/memory.h>
#include <user/lock.h>
#include <user/log.h>
#include <user/own_log.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define PAGE_BYTES 0x1000UL
#define AREA_PAGES (LOG_AREA_BYTES / PAGE_BYTES)
#define TRIES 8 // another thread may take the addresses meanwhile
#define STACK_BYTES 0x8000
#define ANSWER_US 1000000 // that an owner has until another attempt may be made
#define ASKING_MAX 4      // threads of a CPU whose owners have not answered

// Of a CPU, under the lock. Whoever's area comes first has the log.
struct attempts {
    s64 state;    // as attach_log_state tells it, of the log or of the newest attempt
    u32 asking;   // attempts whose owner has not answered
    u32 newest;   // its number
    u64 next;     // when another one may be made while the newest is asking: time base
    bool has_log; // somebody maps an area, or writes there
};
static struct attempts attempts[ORRERY_MAX_CPUS] = {
    [0 ... ORRERY_MAX_CPUS - 1] = {.state = E_NOENT}};
static struct mutex lock;

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
    mutex_lock(&lock);
    attempts[cpu].state = state;
    mutex_unlock(&lock);
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
// would say that a thread is there.
static s64 may_be_tried_again(s64 error)
{
    return error >= 0 || error == E_AGAIN ? E_PROTO : error;
}

// The owner has answered. Returns whether its area may be used: only one is, on a CPU.
static bool take_turn(u32 cpu, s64 answer)
{
    struct attempts *here = &attempts[cpu];

    mutex_lock(&lock);
    here->asking--;
    bool mine = answer == 0 && !here->has_log;
    here->has_log |= mine;
    mutex_unlock(&lock);
    return mine;
}

// An attempt is over. Of older ones than the newest only a log is told.
static void end_attempt(u32 cpu, u32 number, bool had_log, s64 error)
{
    struct attempts *here = &attempts[cpu];

    mutex_lock(&lock);
    if (had_log)
        here->has_log = false;
    if (had_log || (number == here->newest && !here->has_log))
        here->state = may_be_tried_again(error);
    mutex_unlock(&lock);
}

static s64 attached(void *argument)
{
    u32 cpu = (u32)(u64)argument, number = (u32)((u64)argument >> 32), domain;
    cap_t server = 0, memory = 0;
    s64 error = names_lookup(CAP_NAMES, LOG_SERVICE, &server);

    if (error == 0)
        error = log_attach(server, cpu, &memory, &domain);
    bool mine = take_turn(cpu, error);
    if (mine)
        error = write_log(server, cpu, memory, domain);
    sys_cap_drop(memory);
    sys_cap_drop(server);
    end_attempt(cpu, number, mine, error);
    return error;
}

static s64 begin_attempt(u32 cpu)
{
    struct thread_attributes attributes = {.name = "log",
                                           .cpu = cpu,
                                           .priority = THREAD_PRIORITY_LIBRARY,
                                           .stack_bytes = STACK_BYTES,
                                           .detached = true,
                                           .pinned = true};
    struct attempts *here = &attempts[cpu];

    if (here->has_log)
        return here->state == 0 ? E_EXIST : E_BUSY;
    if (here->state == E_AGAIN && time_now() < here->next)
        return E_BUSY;
    if (here->asking == ASKING_MAX)
        return E_LIMIT;
    u64 argument = (u64)(here->newest + 1) << 32 | cpu;
    s64 error = thread_create(NULL, &attributes, attached, (void *)argument);
    here->state = error == 0 ? E_AGAIN : error;
    if (error == 0) {
        here->asking++;
        here->newest++;
        here->next = time_after_us(ANSWER_US);
    }
    return error;
}

s64 attach_log(u32 cpu)
{
    if (cpu >= ORRERY_MAX_CPUS || !(user_dispatchers() >> cpu & 1))
        return E_NOENT;
    mutex_lock(&lock);
    s64 error = begin_attempt(cpu);
    mutex_unlock(&lock);
    return error;
}

s64 attach_log_state(u32 cpu)
{
    if (cpu >= ORRERY_MAX_CPUS)
        return E_NOENT;
    mutex_lock(&lock);
    s64 state = attempts[cpu].state;
    mutex_unlock(&lock);
    return state;
}
