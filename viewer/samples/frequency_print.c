// SPDX-License-Identifier: MIT
// Tells which events did not have the number of samples a second that was asked for, and why.
#include "samples/frequency.h"
#include "samples/default_period.h"

#include <inttypes.h>
#include <math.h>

// ---- what is too rare --------------------------------------------------------------------------

// Returns how many samples a second an event had on the CPU where it came most often, since the
// session began.
static double whole_rate(const struct sample_set *set, u32 index)
{
    double seconds = set->now > set->began ? frequency_seconds(set->now - set->began) : 0;
    double rate = -1;
    for (size_t cpu = 0; cpu < set->cpu_count && seconds > 0; cpu++) {
        const struct sample_stream *stream = &set->cpus[cpu].streams[index];
        double part = sample_share_part(&stream->share);
        rate = fmax(rate, (double)samples_overflows(stream) / seconds / part);
    }
    return rate;
}

static bool is_rare(const struct frequency *frequency, const struct sample_set *set, u32 index,
                    double rate)
{
    const struct sampling_request *request = frequency->request;
    return request->events.events[index].kept && rate >= 0 &&
           samples_period(set, index) <= frequency_least(request, index) &&
           rate < frequency->events[index].hertz / 2;
}

static void print_rare(const struct sampling_request *request, u32 index, double rate)
{
    const struct sampled_event *event = &request->events.events[index];
    char title[SAMPLED_TITLE_BYTES];
    u64 least = frequency_least(request, index);
    bool precise_has_less =
        !request->precise && threshold_default(event->name) / FREQUENCY_LEAST_PART < least;
    printf("%s is too rare for %" PRIu64 " samples a second: it had %.1f, with the least "
           "threshold, %" PRIu64 "%s\n",
           sampled_event_title(event, title), request->frequency, rate, least,
           precise_has_less ? "; --precise has smaller ones" : "");
}

bool frequency_is_rare_now(const struct frequency *frequency, const struct sample_set *set,
                           u32 index)
{
    return is_rare(frequency, set, index, frequency->events[index].rate);
}

void frequency_print_rare_now(const struct frequency *frequency, const struct sample_set *set,
                              u32 index)
{
    if (frequency_is_rare_now(frequency, set, index))
        print_rare(frequency->request, index, frequency->events[index].rate);
}

// ---- what was too much -------------------------------------------------------------------------

static bool is_lowered(const struct frequency *frequency, u32 index)
{
    return frequency->events[index].lowest < (double)frequency->request->frequency;
}

static void print_lowered(const struct frequency *frequency, u32 index)
{
    char title[SAMPLED_TITLE_BYTES];
    printf("%s: at %" PRIu64 " samples a second too many were lost or missed, so there were fewer: "
           "%.0f at the least\n",
           sampled_event_title(&frequency->request->events.events[index], title),
           frequency->request->frequency, frequency->events[index].lowest);
}

// ---- both, at the end --------------------------------------------------------------------------

void frequency_print(const struct frequency *frequency, const struct sample_set *set)
{
    for (u32 i = 0; i < frequency->request->events.count; i++) {
        double rate = whole_rate(set, i);
        if (is_rare(frequency, set, i, rate))
            print_rare(frequency->request, i, rate);
        if (is_lowered(frequency, i))
            print_lowered(frequency, i);
    }
}

static void put_rate(json_t *list, const struct sampled_event *event, double rate)
{
    json_t *row = put_object(list, NULL);
    put_text(row, "event", event->name);
    put_text(row, "mode", count_mode_name(event->mode));
    put_number(row, "per_second", rate);
}

void frequency_put(json_t *json, const struct frequency *frequency, const struct sample_set *set)
{
    json_t *rare = put_array(json, "too_rare"), *lowered = put_array(json, "lowered");
    for (u32 i = 0; i < frequency->request->events.count; i++) {
        const struct sampled_event *event = &frequency->request->events.events[i];
        double rate = whole_rate(set, i);
        if (is_rare(frequency, set, i, rate))
            put_rate(rare, event, rate);
        if (is_lowered(frequency, i))
            put_rate(lowered, event, frequency->events[i].lowest);
    }
}
