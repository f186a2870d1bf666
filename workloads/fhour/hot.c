// SPDX-License-Identifier: MIT
// Counts overflows by place as they are told, and adds them up by function at the end.
#include "hot.h"

#include <orrery/errors.h>
#include <orrery/pmu_model.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <user/profile.h>
#include <user/scheduler.h>

#define SHOWN 10
#define PLACES_BITS 12 // more places than a search has instructions
#define PLACES (1u << PLACES_BITS)

struct count {
    u64 pc; // later: of the function; 0: free
    u64 overflows;
};

static s64 session;
static const char *event_name;
static struct count counts[PLACES]; // by a hash of pc
static u64 elsewhere;               // told when there was no room left

// The search has one thread, and the handler does not interrupt itself.
static void count_place(const struct overflow_record *record)
{
    u64 at = record->pc / 4 * 0x9e3779b97f4a7c15UL >> (64 - PLACES_BITS);

    for (u32 tries = 0; tries < PLACES; tries++, at = (at + 1) % PLACES) {
        if (counts[at].pc == 0)
            counts[at].pc = record->pc;
        if (counts[at].pc == record->pc) {
            counts[at].overflows++;
            return;
        }
    }
    elsewhere++;
}

static s64 sample(u32 event, u32 filter, u64 period, char *message, u64 bytes)
{
    struct sys_sampling sampling = {
        .event_count = 1, .events = {{.event = event, .filter = filter, .period = period}}};

    return sys_sampling_start(&sampling, message, bytes);
}

bool hot_start(u64 period)
{
    char message[256] = "";

    event_name = "instructions:u";
    session =
        sample(SYS_PMU_MODEL + MODEL_INSTRUCTIONS, SYS_PMU_USER, period, message, sizeof(message));
    if (session == E_NOTSUP) {
        event_name = "cycles";
        session =
            sample(SYS_PMU_CYCLES, SYS_PMU_KERNEL | SYS_PMU_USER, period, message, sizeof(message));
    }
    s64 error = session < 0 ? session : profile_on_overflow(count_place);
    if (error == 0)
        error = sys_overflow_notify(session, 0, true);
    if (error == 0)
        return true;
    fprintf(stderr, "fhour: no profile: %s%s%s\n", orrery_strerror(error),
            message[0] != '\0' ? ": " : "", message);
    if (session > 0)
        sys_sampling_stop(session);
    return false;
}

// ---- the result ---------------------------------------------------------------------------------

static int by_pc(const void *a, const void *b)
{
    const struct count *one = a, *other = b;

    return (one->pc > other->pc) - (one->pc < other->pc);
}

static int by_overflows(const void *a, const void *b)
{
    const struct count *one = a, *other = b;

    return (one->overflows < other->overflows) - (one->overflows > other->overflows);
}

// Makes one count of all places of a function. Returns how many functions there are.
static u32 add_functions(void)
{
    u32 functions = 0;

    for (u32 i = 0; i < PLACES; i++) {
        u64 offset = 0;
        if (counts[i].pc != 0 && user_symbol(counts[i].pc, &offset) != NULL)
            counts[i].pc -= offset;
    }
    qsort(counts, PLACES, sizeof(counts[0]), by_pc);
    for (u32 i = 0; i < PLACES; i++) {
        struct count one = counts[i];
        if (one.pc == 0)
            continue;
        if (functions != 0 && counts[functions - 1].pc == one.pc)
            counts[functions - 1].overflows += one.overflows;
        else
            counts[functions++] = one;
    }
    qsort(counts, functions, sizeof(counts[0]), by_overflows);
    return functions;
}

static void print_functions(u64 told)
{
    u32 functions = add_functions();

    for (u32 i = 0; i < functions && i < SHOWN; i++) {
        u64 offset, tenths = counts[i].overflows * 1000 / told;
        const char *name = user_symbol(counts[i].pc, &offset);
        printf("  %3lu.%lu %%  %8lu  %s\n", tenths / 10, tenths % 10, counts[i].overflows,
               name != NULL               ? name
               : counts[i].pc >= USER_END ? "[kernel]"
                                          : "[unknown]");
    }
}

void hot_print(void)
{
    struct sys_sampling_stat stat;
    u64 hits = 0, missed = 0;

    sys_sampling_stop(session);
    struct profile_counts count = profile_count();
    for (u32 cpu = 0; cpu < user_cpu_count(); cpu++) {
        if (sys_sampling_stat(session, cpu, 0, &stat) == 0) {
            hits += stat.taken + stat.lost;
            missed += stat.missed;
        }
    }
    printf("fhour: %s: told of %lu overflows, %lu lost, %lu missed; %lu hit others\n", event_name,
           count.told, count.lost, missed, hits - count.told - count.lost);
    if (elsewhere != 0)
        printf("fhour: no room for the places of %lu\n", elsewhere);
    if (count.told != 0)
        print_functions(count.told);
}
