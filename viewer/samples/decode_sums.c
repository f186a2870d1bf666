// SPDX-License-Identifier: MIT
#include "samples/decode_sums.h"

#include <string.h>

#define SAMPLES_A_SUM_MAX UINT32_MAX // the machine sends sums long before that
#define KINDS (SITE_OTHER_OBJECTS + 1)

static const enum site_kind kinds[KINDS] = {
    [ORRERY__DCI__SAMPLE_SUM_KIND__SUM_ALL] = SITE_ALL,
    [ORRERY__DCI__SAMPLE_SUM_KIND__SUM_PROCESS] = SITE_PROCESS,
    [ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OTHER_PROCESSES] = SITE_OTHER_PROCESSES,
    [ORRERY__DCI__SAMPLE_SUM_KIND__SUM_IDLE] = SITE_IDLE,
    [ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OBJECT] = SITE_OBJECT,
    [ORRERY__DCI__SAMPLE_SUM_KIND__SUM_NONE] = SITE_NONE,
    [ORRERY__DCI__SAMPLE_SUM_KIND__SUM_STALE] = SITE_STALE,
    [ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OTHER_OBJECTS] = SITE_OTHER_OBJECTS,
};

// Returns the site, with no more numbers than its kind has: there is one site of all, for example,
// for an event and CPU, whatever a machine says.
static struct site site_of(const Orrery__Dci__SampleSum *message)
{
    enum site_kind kind = kinds[message->kind];
    bool is_code = kind == SITE_OBJECT || kind == SITE_NONE || kind == SITE_STALE;
    return (struct site){.coid = kind == SITE_OBJECT ? message->coid : 0,
                         .pid = is_code || kind == SITE_PROCESS ? message->pid : 0,
                         .kind = (u8)kind,
                         .event = (u8)message->index,
                         .cpu = (u8)message->cpu};
}

// Returns false if the message makes no sense, whatever its kind.
static bool is_sound(const Orrery__Dci__SampleSum *message)
{
    return message->index < SAMPLED_EVENTS_MAX && message->cpu < ORRERY_MAX_CPUS &&
           message->samples != 0 && message->samples <= SAMPLES_A_SUM_MAX &&
           message->weight <= SYS_PERIOD_MAX && message->first_samples <= message->samples &&
           message->latest_samples <= message->samples;
}

static void decode_sum(const Orrery__Dci__SampleSum *message, struct site site,
                       struct site_sum *sum)
{
    double weight = (double)message->weight;
    bool several = message->first_samples != 0;
    *sum = (struct site_sum){
        .site = site,
        .samples = message->samples,
        .events = message->samples * message->weight,
        .square = (double)message->samples * weight * weight,
        .several_turns = several,
        .first_turn = (u8)(several ? message->first_turn : message->latest_turn),
        .latest_turn = (u8)message->latest_turn,
        .first_events = (double)message->first_samples * weight,
        .latest_events = (double)(several ? message->latest_samples : message->samples) * weight,
        .turn_squares = (double)message->turn_squares * weight * weight,
    };
}

static void count_stream(struct sample_stream *stream, const struct site_sum *sum)
{
    u32 cpu = sum->site.cpu;
    stream->received += sum->samples;
    stream->sum.samples += sum->samples;
    stream->sum.events += sum->events;
    stream->sum.square += sum->square;
    if (sum->several_turns) {
        sample_sum_add_to_turn(&stream->sum, cpu, sum->first_turn, sum->first_events);
        stream->sum.turn_squares += sum->turn_squares;
    }
    sample_sum_add_to_turn(&stream->sum, cpu, sum->latest_turn, sum->latest_events);
}

// Counts a sum in the totals. Of "other objects" nobody knows whose they are: they are in no part.
static void count(struct sample_totals *totals, const struct site_sum *sum)
{
    bool is_kernel = sum->site.pid == 0;
    switch ((enum site_kind)sum->site.kind) {
    case SITE_ALL:
        totals->samples += sum->samples;
        break;
    case SITE_PROCESS:
        totals->processes += sum->site.pid != 0 ? sum->samples : 0;
        break;
    case SITE_OTHER_PROCESSES:
        totals->processes += sum->samples;
        break;
    case SITE_IDLE:
        totals->idle += sum->samples;
        break;
    case SITE_OBJECT:
        totals->attributed += sum->samples;
        totals->kernel += is_kernel ? sum->samples : 0;
        break;
    case SITE_NONE:
        totals->unattributed += sum->samples;
        totals->kernel += is_kernel ? sum->samples : 0;
        break;
    case SITE_STALE:
        totals->stale += sum->samples;
        totals->kernel += is_kernel ? sum->samples : 0;
        break;
    default:
        break;
    }
}

u64 decode_sample_sums(const Orrery__Dci__SampleSums *message, struct sample_set *set,
                       sums_visit *visit, void *context)
{
    u64 samples = 0;
    for (size_t i = 0; i < message->n_sums; i++) {
        struct site_sum sum;
        if (!is_sound(message->sums[i]) || (u32)message->sums[i]->kind >= KINDS)
            continue;
        decode_sum(message->sums[i], site_of(message->sums[i]), &sum);
        struct sample_totals *totals[] = {&set->totals, &set->by_event[sum.site.event]};
        for (u32 j = 0; j < ARRAY_SIZE(totals); j++) {
            count(totals[j], &sum);
            totals[j]->soft_masked += message->sums[i]->soft_masked;
        }
        if (sum.site.kind == SITE_ALL) {
            samples += sum.samples;
            count_stream(samples_stream(set, sum.site.cpu, sum.site.event), &sum);
        }
        visit(context, &sum, message->from, message->to);
    }
    return samples;
}

// ---- stacks ------------------------------------------------------------------------------------

static void note_stack(const Orrery__Dci__SampleStack *message, struct stack_numbers *numbers,
                       struct stack_table *table)
{
    struct stack_place place = {
        .pc = message->pc, .pid = message->pid, .kernel = message->kernel, .kind = SITE_NONE};
    if (message->number >= STACK_NUMBERS_MAX)
        return;
    if (message->kind == ORRERY__DCI__SAMPLE_SUM_KIND__SUM_STALE)
        place.kind = SITE_STALE;
    if (message->kind == ORRERY__DCI__SAMPLE_SUM_KIND__SUM_OBJECT) {
        place.kind = SITE_OBJECT;
        place.coid = message->coid;
    }
    size_t callers =
        message->n_callers < SAMPLE_MAX_CALLERS ? message->n_callers : SAMPLE_MAX_CALLERS;
    place.caller_count = (u8)callers;
    if (callers > 0)
        memcpy(place.callers, message->callers, callers * sizeof(u64));
    numbers->numbers[message->number] = stack_table_number(table, &place);
}

static u32 number_of(const Orrery__Dci__SampleSum *message, const struct stack_numbers *numbers)
{
    bool has_one = message->kind == ORRERY__DCI__SAMPLE_SUM_KIND__SUM_STACK &&
                   message->stack < STACK_NUMBERS_MAX;
    return has_one ? numbers->numbers[message->stack] : 0;
}

void decode_sample_stacks(const Orrery__Dci__SampleStacks *message, struct stack_numbers *numbers,
                          struct stack_table *table, sums_visit *visit, void *context)
{
    if (message->table != numbers->table)
        *numbers = (struct stack_numbers){.table = message->table};
    for (size_t i = 0; i < message->n_stacks; i++)
        note_stack(message->stacks[i], numbers, table);
    for (size_t i = 0; i < message->n_sums; i++) {
        struct site_sum sum;
        if (!is_sound(message->sums[i]))
            continue;
        u32 number = number_of(message->sums[i], numbers);
        decode_sum(message->sums[i],
                   (struct site){.coid = number,
                                 .kind = number != 0 ? SITE_STACK : SITE_OTHER_STACKS,
                                 .event = (u8)message->sums[i]->index,
                                 .cpu = (u8)message->sums[i]->cpu},
                   &sum);
        visit(context, &sum, message->from, message->to);
    }
}
