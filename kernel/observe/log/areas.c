// SPDX-License-Identifier: MIT
// Areas of the logs: windows onto the scheduler's memory, and the handler as the kernel calls it.
#include "areas.h"

#include <kernel/address_space.h>
#include <kernel/irq.h>
#include <kernel/memory.h>
#include <kernel/panic.h>
#include <kernel/percpu.h>
#include <kernel/points.h>
#include <kernel/softmask.h>
#include <kernel/timer.h>
#include <log/handler.h>
#include <orrery/errors.h>
#include <string.h>

#include "pmu/counting_log.h"
#include "points.h"
#include "proc/dispatcher.h"
#include "proc/domain.h"
#include "proc/scheduler.h"

#define WINDOW_BYTES (2 * LOG_AREA_BYTES)
#define NOTHING ((struct log_head *)LOG_WINDOWS_BASE)
#define AREA_PAGES (LOG_AREA_BYTES / PAGE_SIZE)
#define TURN_LONG (1UL << 31) // ticks, or hardware events: a row has 32 bits

// Each CPU has its own, in lines of its own.
static struct log_host {
    struct log_cpu logs;
    // The service that goes on: of whom, and since when; 0: what runs began before all this.
    u32 domain;
    u64 since;
    // The same of hardware events: the counts then, and of which choice; 0: none.
    u32 counted_domain;
    u64 choice;
    u64 counts[COUNTING_LOGGED];
    s32 pages[LOG_DOMAINS]; // charged here, less those given back here
} __attribute__((aligned(128))) cpus[ORRERY_MAX_CPUS];

static struct area {
    struct fcm *memory; // held; NULL: none
    u32 *scratch;
} areas[ORRERY_MAX_CPUS][LOG_AREAS];

// ---- the handler's host -------------------------------------------------------------------------

u64 log_timebase(void)
{
    return timebase();
}

// ---- behind points ------------------------------------------------------------------------------

static void logs_tell(u32 event, u32 current, u32 correspondent)
{
    u8 masked = soft_mask();

    if (log_is_on(LOG_OF_CALLS) && log_has_selector(event))
        log_tell_here(event, current, correspondent);
    soft_mask_restore(masked);
}

static void logs_call_made(struct dispatcher *client, struct dispatcher *server, u64 call)
{
    (void)call;
    logs_tell(LOG_CALL_SENT, dispatcher_domain(client), dispatcher_domain(server));
}
HANDLES(call_made, 1, logs_call_made, &log_observer, LOG_CALLS | LOG_MAKING);

static void logs_call_taken(struct dispatcher *server, u32 client, u64 call)
{
    (void)call;
    logs_tell(LOG_CALL_TAKEN, dispatcher_domain(server), client);
}
HANDLES(call_taken, 1, logs_call_taken, &log_observer, LOG_CALLS | LOG_MAKING);

static void logs_answered(struct dispatcher *server, u32 client, u64 call)
{
    (void)call;
    logs_tell(LOG_ANSWER_SENT, dispatcher_domain(server), client);
}
HANDLES(answered, 1, logs_answered, &log_observer, LOG_ANSWERS | LOG_MAKING);

static void logs_answer_taken(struct dispatcher *client, u32 server)
{
    logs_tell(LOG_ANSWER_TAKEN, dispatcher_domain(client), server);
}
HANDLES(answer_taken, 1, logs_answer_taken, &log_observer, LOG_ANSWERS | LOG_MAKING);

static void logs_message_sent(u32 sender, struct dispatcher *receiver)
{
    logs_tell(LOG_MESSAGE_SENT, sender, dispatcher_domain(receiver));
}
HANDLES(message_sent, 1, logs_message_sent, &log_observer, LOG_BIT(LOG_OF_CALLS));

static void logs_message_taken(u32 sender)
{
    logs_tell(LOG_MESSAGE_TAKEN, dispatcher_domain(dispatcher_current()), sender);
}
HANDLES(message_taken, 1, logs_message_taken, &log_observer, LOG_BIT(LOG_OF_CALLS));

void log_tell_here(u32 event, u32 current, u32 correspondent)
{
    log_happens(&cpus[cpu_id()].logs, event, current, correspondent, 1);
}

static void page_charged(u32 domain, s32 change)
{
    u8 masked = soft_mask();
    struct log_host *cpu = &cpus[cpu_id()];

    if (domain != 0 && log_is_on(LOG_OF_MEMORY))
        log_happens(&cpu->logs, LOG_MEMORY, domain, 0, (u32)(cpu->pages[domain] += change));
    soft_mask_restore(masked);
}
HANDLES(page_charged, 1, page_charged, &log_observer, LOG_BIT(LOG_OF_MEMORY));

static u32 clip(u64 counter)
{
    return counter < UINT32_MAX ? (u32)counter : UINT32_MAX;
}

static void change_service(struct log_host *cpu, u32 domain, u64 now)
{
    if (cpu->since != 0)
        log_leaves(&cpu->logs, LOG_SERVICE_TIME, cpu->domain, clip(now - cpu->since));
    log_enters(&cpu->logs, LOG_SERVICE_TIME, domain);
    cpu->domain = domain;
    cpu->since = now;
}

static void change_counts(struct log_host *cpu, u32 domain)
{
    u64 counts[COUNTING_LOGGED], choice = counting_log_read(counts);
    bool goes_on = choice != 0 && choice == cpu->choice;

    for (u32 i = 0; i < COUNTING_LOGGED && choice != 0; i++) {
        if (goes_on)
            log_leaves(&cpu->logs, LOG_HARDWARE_0 + i, cpu->counted_domain,
                       clip(counts[i] - cpu->counts[i]));
        log_enters(&cpu->logs, LOG_HARDWARE_0 + i, domain);
        cpu->counts[i] = counts[i];
    }
    cpu->counted_domain = domain;
    cpu->choice = choice;
}

static bool counts_last_long(const struct log_host *cpu)
{
    u64 counts[COUNTING_LOGGED];
    bool goes_on = cpu->choice != 0 && counting_log_read(counts) == cpu->choice;

    for (u32 i = 0; i < COUNTING_LOGGED && goes_on; i++)
        if (counts[i] - cpu->counts[i] >= TURN_LONG)
            return true;
    return false;
}

static inline __attribute__((always_inline)) void logs_tell_switch(u32 domain, u64 now)
{
    struct log_host *cpu = &cpus[cpu_id()];

    if (log_is_on(LOG_OF_SERVICE) && (cpu->since == 0 || cpu->domain != domain))
        change_service(cpu, domain, now);
    if (log_is_on(LOG_OF_HARDWARE) && (cpu->choice == 0 || cpu->counted_domain != domain))
        change_counts(cpu, domain);
}

static void logs_switched(struct thread *from, struct thread *to, u64 now)
{
    (void)from;
    logs_tell_switch(domain_of_thread(to), now);
}
HANDLES(switch, 1, logs_switched, &log_observer,
        LOG_BIT(LOG_OF_SERVICE) | LOG_BIT(LOG_OF_HARDWARE));

void log_tell_service(struct thread *from, struct thread *to)
{
    u64 now = scheduler_charge_here(from);

    logs_tell_switch(domain_of_thread(to), now);
}

static void ticked(u32 length, u64 now)
{
    struct log_host *cpu = &cpus[cpu_id()];

    if (log_is_on(LOG_OF_RUN_QUEUE))
        log_run_queue(&cpu->logs, length);
    if (log_is_on(LOG_OF_SERVICE) && cpu->since != 0 && now - cpu->since >= TURN_LONG)
        change_service(cpu, cpu->domain, now);
    if (log_is_on(LOG_OF_HARDWARE) && counts_last_long(cpu))
        change_counts(cpu, cpu->counted_domain);
}

HANDLES(tick, 1, ticked, &log_observer,
        LOG_BIT(LOG_OF_RUN_QUEUE) | LOG_BIT(LOG_OF_SERVICE) | LOG_BIT(LOG_OF_HARDWARE));

// An idle CPU has no tick, so readers would take the last length for that of now.
static void idles(void)
{
    log_run_queue(&cpus[cpu_id()].logs, 0);
}
HANDLES(idle, 1, idles, &log_observer, LOG_BIT(LOG_OF_RUN_QUEUE));

void log_begin(u32 characteristics)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (characteristics & LOG_BIT(LOG_OF_SERVICE))
            cpus[cpu].since = 0;
        if (characteristics & LOG_BIT(LOG_OF_HARDWARE))
            cpus[cpu].choice = 0;
        if (characteristics & LOG_BIT(LOG_OF_MEMORY))
            memset(cpus[cpu].pages, 0, sizeof(cpus[cpu].pages));
    }
}

static void leave_handler(void *unused)
{
    (void)unused; // the interrupt comes when the CPU is not soft-masked
}

void log_quiesce(u64 mask)
{
    cpus_call(mask, leave_handler, NULL);
}

// ---- windows ------------------------------------------------------------------------------------

static u64 window_of(u32 cpu, u32 number)
{
    return LOG_WINDOWS_BASE + (1 + cpu * LOG_AREAS + number) * WINDOW_BYTES;
}

// Maps the first window, that of CPUs which have no area: zeroes, once there has been an owner.
static s64 map_nothing(void)
{
    static bool mapped;
    void *zeroes = mapped ? NULL : pages_alloc_zeroed(0);
    s64 error = 0;

    if (mapped)
        return 0;
    if (zeroes == NULL)
        return E_NOMEM;
    for (u32 page = 0; page <= AREA_PAGES && error == 0; page++)
        error = mmu_map(LOG_WINDOWS_BASE + page * PAGE_SIZE, virt_to_phys(zeroes), 1, MMU_READ);
    if (error != 0) {
        mmu_unmap(LOG_WINDOWS_BASE, AREA_PAGES + 1);
        pages_free(zeroes, 0);
        return E_NOMEM;
    }
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        __atomic_store_n(&percpu_of(cpu)->log_head, NOTHING, __ATOMIC_RELEASE);
    mapped = true;
    return 0;
}

static s64 map_window(u64 window, const u64 frames[AREA_PAGES], const u32 *scratch)
{
    s64 error = 0;

    for (u32 page = 0; page < AREA_PAGES && error == 0; page++)
        error = mmu_map(window + page * PAGE_SIZE, frames[page], 1, MMU_READ | MMU_WRITE);
    if (error == 0)
        error = mmu_map(window + LOG_AREA_BYTES, virt_to_phys(scratch), 1, MMU_READ | MMU_WRITE);
    if (error != 0)
        mmu_unmap(window, AREA_PAGES + 1);
    return error;
}

// What stands behind an area, and where nobody's descriptor is.
_Static_assert(LOG_NOBODY * sizeof(struct log_descriptor) >= LOG_AREA_BYTES + LOG_OVERRUN &&
                   (LOG_NOBODY + 1) * sizeof(struct log_descriptor) <= LOG_AREA_BYTES + PAGE_SIZE &&
                   LOG_WINDOWS_BASE % WINDOW_BYTES == 0,
               "fast.S puts it together from bits");

// Is the memory an area already? Two CPUs that write into one register would each undo what the
// other does.
static bool is_area(const struct fcm *memory)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++)
        for (u32 number = 0; number < LOG_AREAS; number++)
            if (areas[cpu][number].memory == memory)
                return true;
    return false;
}

s64 log_area_add(struct fcm *memory, u32 cpu)
{
    u64 frames[AREA_PAGES];
    u32 number = 0;

    while (number < LOG_AREAS && areas[cpu][number].memory != NULL)
        number++;
    u64 window = window_of(cpu, number);

    if (fcm_bytes(memory) != LOG_AREA_BYTES || !fcm_is_anonymous(memory))
        return E_INVAL;
    if (is_area(memory))
        return E_EXIST;
    if (number == LOG_AREAS)
        return E_LIMIT;
    u32 *scratch = map_nothing() == 0 ? pages_alloc_zeroed(0) : NULL;
    if (scratch == NULL || fcm_make_resident(memory, frames) != 0 ||
        map_window(window, frames, scratch) != 0) {
        if (scratch != NULL)
            pages_free(scratch, 0);
        return E_NOMEM;
    }
    fcm_hold(memory);
    areas[cpu][number] = (struct area){memory, scratch};
    __atomic_store_n(&cpus[cpu].logs.areas[number], (u8 *)window, __ATOMIC_RELEASE);
    if (number == 0)
        __atomic_store_n(&percpu_of(cpu)->log_head, (struct log_head *)window, __ATOMIC_RELEASE);
    return number;
}

// Nothing but rows that began at the area's end may have been written behind it.
static bool guard_is_untouched(const u32 *scratch)
{
    for (u32 i = LOG_OVERRUN / sizeof(u32); i < PAGE_SIZE / sizeof(u32); i++)
        if (scratch[i] != 0)
            return false;
    return true;
}

static void remove_area(u32 cpu, u32 number)
{
    struct area *area = &areas[cpu][number];

    if (area->memory == NULL)
        return;
    mmu_unmap(window_of(cpu, number), AREA_PAGES + 1);
    KASSERT(guard_is_untouched(area->scratch));
    pages_free(area->scratch, 0);
    fcm_put(area->memory);
    *area = (struct area){0};
}

void log_areas_remove(void)
{
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        __atomic_store_n(&percpu_of(cpu)->log_head, NOTHING, __ATOMIC_RELEASE);
        for (u32 number = 0; number < LOG_AREAS; number++)
            __atomic_store_n(&cpus[cpu].logs.areas[number], NULL, __ATOMIC_RELEASE);
    }
    // What has passed a point before it was switched off may still come, and finds no area.
    log_quiesce(UINT64_MAX);
    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        for (u32 number = 0; number < LOG_AREAS; number++)
            remove_area(cpu, number);
        cpus[cpu].logs.virtual_time = 0;
    }
}
