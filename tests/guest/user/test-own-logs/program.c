// SPDX-License-Identifier: MIT
// Programs that are logged.
#include "tests.h"

#include "scheduler.h" // userlib/src: how many threads are ready

#include <orrery/memory.h>
#include <user/log_event.h>

#define FOR_EVER_US 3600000000UL
#define NAP_US 2000
#define SPIN_US 1000
#define HELPERS 3
#define SCRIBBLES 20000u

int sleep_for_ever(void)
{
    thread_sleep_us(FOR_EVER_US);
    return 3;
}

// ---- the program's own account of its switches --------------------------------------------------

static void (*next_hook)(struct thread *next);
static u32 ready[NUMBERS_MAX], ready_count; // of each switch between the marks
static bool recording;

static void watch(struct thread *next)
{
    const struct scheduler *scheduler = scheduler_here();
    u32 count = next != NULL;

    next_hook(next);
    for (u32 priority = 0; priority < THREAD_PRIORITIES; priority++)
        for (const struct thread *one = scheduler->ready[priority].head;
             one && scheduler->ready_mask >> priority & 1; one = one->next)
            count++;
    if (recording && ready_count < NUMBERS_MAX)
        ready[ready_count++] = count;
}

// Nothing is switched between the mark and the beginning of the record, or its end.
static s64 mark(bool on)
{
    u32 before = user_disable();
    s64 error = log_event(EVENT_MARK, OTHER, on);

    recording = on;
    user_enable(before);
    return error;
}

// ---- writing ------------------------------------------------------------------------------------

static u64 inner; // ticks that the thread in another domain has seen itself

static s64 spin(void *unused)
{
    (void)unused;
    thread_park(THREAD_FOREVER);
    u64 begin = time_now(), end = time_after_us(SPIN_US), now = begin;
    while (now < end)
        now = time_now();
    inner = now - begin;
    return log_event(EVENT_PLAIN, DOMAIN, 1000);
}

static s64 yield(void *unused)
{
    (void)unused;
    for (u32 i = 0; i < 3; i++)
        thread_yield();
    return 0;
}

static s64 switch_threads(u32 cpu)
{
    struct thread_attributes attributes = {
        .name = "helper", .cpu = cpu, .priority = THREAD_PRIORITY_DEFAULT, .pinned = true};
    struct thread *threads[HELPERS];
    s64 error = 0;

    for (u32 i = 0; i < HELPERS; i++)
        error |= thread_create(&threads[i], &attributes, yield, NULL);
    for (u32 i = 0; i < HELPERS && error == 0; i++)
        error |= thread_join(threads[i], NULL);
    thread_sleep_us(NAP_US);
    return error;
}

static s64 log_events(void)
{
    s64 error = 0;

    for (u32 i = 0; i < EVENTS; i++) {
        error |= log_event(EVENT_PLAIN, OTHER, i);
        error |= log_event(EVENT_PLAIN, DOMAIN, i); // its own: no row
        error |= log_event(EVENT_THIRD, OTHER, i);
    }
    return error;
}

static bool are_refused(void)
{
    return log_event(0, OTHER, 1) == E_INVAL && log_event(LOG_EVENTS, OTHER, 1) == E_INVAL &&
           log_event(UINT32_MAX, OTHER, 1) == E_INVAL &&
           log_event(EVENT_PLAIN, LOG_DOMAINS, 1) == E_INVAL;
}

// Its status: the number of the step that went wrong.
int write_log(u64 cpu)
{
    struct thread_attributes attributes = {
        .name = "spin", .cpu = (u32)cpu, .priority = THREAD_PRIORITIES - 1, .pinned = true};
    struct thread *spinner;
    u32 before = user_disable();

    next_hook = user_switch_hook;
    user_on_switch(watch);
    user_enable(before);
    if (thread_create(&spinner, &attributes, spin, NULL) != 0)
        return 1;
    if (log_event(EVENT_PLAIN, OTHER, 1) != E_NOENT)
        return 2;
    if (tell(thread_id(spinner), 0, NULL, 0) != 0)
        return 3;
    if (mark(true) != 0 || switch_threads((u32)cpu) != 0 || log_events() != 0 || !are_refused())
        return 4;
    u64 begin = time_now();
    s64 result;
    thread_unpark(spinner);
    thread_join(spinner, &result);
    u64 outer = time_now() - begin;
    if (result != 0 || mark(false) != 0)
        return 5;
    if (tell(inner, outer, ready, ready_count) != 0)
        return 6;
    // The owner has let the log go.
    return log_event(EVENT_PLAIN, OTHER, 1) == E_NOENT ? 0 : 7;
}

// ---- scribbling ---------------------------------------------------------------------------------

static u8 *find_area(void)
{
    struct sys_region_info info;
    u64 cursor = 0;

    while (sys_region_list(0, &cursor, &info, sizeof(info)) > 0)
        if (info.kind == REGION_SHARED && info.bytes == LOG_AREA_BYTES)
            return (u8 *)info.address;
    return NULL;
}

// Stores anything into its area, descriptors, registers and rows, while it is logged there; tells,
// and goes on until it is killed.
int scribble(void)
{
    u64 random = 88172645463325252;

    if (tell(0, 0, NULL, 0) != 0)
        return 1;
    u32 *area = (u32 *)find_area();
    if (area == NULL)
        return 2;
    for (u32 round = 1;; round++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        u64 word = round % 2 == 0 ? PLACE / 4 + random % 2 : random % (LOG_AREA_BYTES / 4);
        __atomic_store_n(&area[word], (u32)(random >> 32), __ATOMIC_RELAXED);
        if (log_event(1 + (u32)(random >> 20) % (LOG_EVENTS - 1), OTHER, round) != 0)
            return 3;
        if (round % 64 == 0)
            thread_sleep_us(1);
        if (round == SCRIBBLES && tell(round, 0, NULL, 0) != 0)
            return 4;
    }
}
