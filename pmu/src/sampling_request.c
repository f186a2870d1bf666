// SPDX-License-Identifier: MIT
// Checks a request to sample, and makes a claim of it.
#include <orrery/errors.h>
#include <pmu/sampling_request.h>
#include <stdarg.h>
#include <stdio.h>

#define BOTH (SYS_PMU_KERNEL | SYS_PMU_USER)

_Static_assert(SYS_PMU_KERNEL == MODEL_KERNEL && SYS_PMU_USER == MODEL_USER, "filters are flags");
_Static_assert(SYS_PRECISE_PERIOD_MIN >= MODEL_PERIOD_MIN && SYS_PERIOD_MAX <= MODEL_PERIOD_MAX &&
                   SYS_RANDOMISE_MAX <= MODEL_RANDOM_MAX,
               "the unit takes all of these");

static __attribute__((format(printf, 4, 5))) s64 say(s64 error, char *message, u64 bytes,
                                                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (bytes != 0)
        vsnprintf(message, bytes, format, arguments);
    va_end(arguments);
    return error;
}

u32 sampling_event_number(u32 event)
{
    if (event == SYS_PMU_CYCLES)
        return PMU_RUN_CYCLES;
    return event >= SYS_PMU_MODEL && event < SYS_PMU_MODEL + MODEL_EVENTS ? event - SYS_PMU_MODEL
                                                                          : PMU_EVENTS;
}

static u64 period_min(const struct sys_sampling *sampling)
{
    return sampling->flags & SYS_SAMPLING_PRECISE ? SYS_PRECISE_PERIOD_MIN : SYS_PERIOD_MIN;
}

// Checks that the longest of the randomised periods fits, too.
bool sampling_period_valid(const struct sys_sampling *sampling, u64 period, u32 randomise)
{
    return period >= period_min(sampling) && period <= SYS_PERIOD_MAX &&
           randomise <= SYS_RANDOMISE_MAX && 1UL << randomise < period &&
           period + (1UL << randomise) <= SYS_PERIOD_MAX + 1UL;
}

// Returns what is wrong with the session as a whole, or NULL.
static const char *session_fault(const struct sys_sampling *sampling, u32 cpus)
{
    if (sampling->event_count == 0 || sampling->event_count > SYS_SAMPLING_EVENTS)
        return "event_count must be 1…16";
    if ((sampling->flags & ~(SYS_SAMPLING_PRECISE | SYS_SAMPLING_TURNS)) != 0)
        return "unknown flags";
    if (sampling->callers > SYS_CALLERS_MAX)
        return "callers must be 0…16";
    return (sampling->cpu_mask & ~cpus) != 0 ? "cpu_mask names CPUs that are not there" : NULL;
}

static bool is_repeated(const struct sys_sampling *sampling, u32 index)
{
    const struct sys_sampled_event *event = &sampling->events[index];
    for (u32 i = 0; i < index; i++) {
        if (sampling->events[i].event == event->event &&
            sampling->events[i].filter == event->filter)
            return true;
    }
    return false;
}

// Returns what is wrong with one event, or NULL.
static const char *event_fault(const struct sys_sampling *sampling, u32 index)
{
    const struct sys_sampled_event *event = &sampling->events[index];
    if (event->filter == 0 || (event->filter & ~BOTH) != 0)
        return "filter must be kernel, user or both";
    if (event->reserved != 0)
        return "reserved must be 0";
    if (!sampling_period_valid(sampling, event->period, event->randomise))
        return sampling->flags & SYS_SAMPLING_PRECISE
                   ? "period must be 16…2147483647, with what is random, "
                     "randomise 0…16, 2^randomise below the period"
                   : "period must be 1000…2147483647, with what is random, "
                     "randomise 0…16, 2^randomise below the period";
    return is_repeated(sampling, index) ? "the same event and filter twice" : NULL;
}

// Returns what this machine cannot sample, or not so, or NULL.
static const char *lack(const struct sys_sampling *sampling, u32 index,
                        const struct pmu_offer *offer)
{
    const struct sys_sampled_event *event = &sampling->events[index];
    u32 number = sampling_event_number(event->event);
    if (number == PMU_EVENTS || offer->counters[number] == 0)
        return "no unit of this machine has it";
    if (number != PMU_RUN_CYCLES)
        return NULL;
    if (event->filter != BOTH)
        return "cycles of the CPU itself are not told by mode: filter must be both";
    return sampling->flags & SYS_SAMPLING_PRECISE
               ? "cycles of the CPU itself have no precise records"
               : NULL;
}

static s64 check(const struct sys_sampling *sampling, const struct pmu_offer *offer, u32 cpus,
                 char *message, u64 bytes)
{
    const char *fault = session_fault(sampling, cpus);
    if (fault != NULL)
        return say(E_INVAL, message, bytes, "%s", fault);
    for (u32 i = 0; i < sampling->event_count; i++) {
        fault = event_fault(sampling, i);
        if (fault != NULL)
            return say(E_INVAL, message, bytes, "event %u: %s", i, fault);
    }
    for (u32 i = 0; i < sampling->event_count; i++) {
        fault = lack(sampling, i, offer);
        if (fault != NULL)
            return say(E_NOTSUP, message, bytes, "event %u: %s", i, fault);
    }
    return 0;
}

static void add_items(struct sampling_plan *plan, const struct pmu_offer *offer)
{
    struct pmu_request *request = &plan->claim.request;

    for (u32 i = 0; i < plan->sampling.event_count; i++) {
        u32 number = sampling_event_number(plan->sampling.events[i].event);
        if (number == PMU_RUN_CYCLES) {
            plan->cycles = i;
            continue;
        }
        plan->item[i] = (u8)request->items;
        request->item[request->items++] =
            (struct pmu_item){.event = (u8)number,
                              .filter = (u8)plan->sampling.events[i].filter,
                              .source = (u8)(i + 1),
                              .counters = offer->counters[number]};
    }
}

static bool fits(const struct pmu_request *request)
{
    struct pmu_allocation unused;
    struct pmu_conflict conflict;

    return request->items == 0 || pmu_allocate(request, &unused, &conflict) == 0;
}

static void claim_events(struct sampling_plan *plan, const struct pmu_offer *offer)
{
    struct pmu_claim *claim = &plan->claim;

    *claim = (struct pmu_claim){.request = {.sets = 1, .groups = 1, .share = {1}}, .steady = true};
    add_items(plan, offer);
    bool turns = (plan->sampling.flags & SYS_SAMPLING_TURNS) != 0 && claim->request.items != 0;
    if (!turns && fits(&claim->request))
        return;
    *claim = (struct pmu_claim){
        .request = {.items = 1, .sets = 1, .groups = PMU_GROUPS_MAX, .share = {1}},
        .slice = SYS_PMU_SLICE_DEFAULT};
    claim->request.item[0] = (struct pmu_item){.event = MODEL_INSTRUCTIONS,
                                               .filter = MODEL_KERNEL | MODEL_USER,
                                               .set = PMU_EVERY_GROUP,
                                               .counters = offer->counters[MODEL_INSTRUCTIONS]};
    add_items(plan, offer);
}

s64 sampling_plan_make(const struct sys_sampling *sampling, const struct pmu_offer *offer, u32 cpus,
                       struct sampling_plan *plan, char *message, u64 bytes)
{
    s64 error = check(sampling, offer, cpus, message, bytes);
    if (error != 0)
        return error;
    *plan = (struct sampling_plan){.sampling = *sampling, .cycles = SYS_SAMPLING_EVENTS};
    claim_events(plan, offer);
    return say(0, message, bytes, "%s", "");
}
