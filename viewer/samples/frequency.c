// SPDX-License-Identifier: MIT
// Keeps events at a number of samples a second. Rates are by the machine's clock, and of all
// overflows, with or without a sample: if those that came too late did not count, thresholds would
// fall and make more of them come too late.
#include "samples/frequency.h"
#include "counts/counting.h"
#include "samples/default_period.h"
#include "tools/clock.h"
#include "wire/session.h"

#include <math.h>
#include <string.h>

#define COUNT_SECONDS 0.2
#define COUNT_SLICE 100000 // instructions: many turns within that, even on idle CPUs
#define CORRECT_SECONDS 0.5
#define CORRECT_SECONDS_FIRST 0.05 // each next one takes twice as long, up to CORRECT_SECONDS
#define CORRECT_SECONDS_MAX 5
#define CORRECT_SAMPLES 50 // few samples tell no rate: then corrections are less often
#define NEAR 0.1           // of the frequency: no correction
#define DOWN_MOST 16       // a threshold falls to no less of it at once
#define FLOOD 2            // so many times too many samples are corrected at once
#define FLOOD_SECONDS 0.1  // samples come in batches: not before that
#define LOSS 0.1           // such a part of overflows without a sample: the rate is too high
#define JUDGED 200         // overflows tell that; fewer may have met one pause of the emulator
#define CLEAN 10           // verdicts without a loss until a higher rate is tried
#define LOWEST 10          // samples a second
// A sample by which the machine is slowed down makes more of them: it takes about 3,000
// instructions from the counter to us. So the least threshold of events that come with every few
// instructions is above that: FREQUENCY_LEAST_PART of the fixed ones of S000.

u64 frequency_next(u64 period, u64 overflows, double seconds, double hertz, u64 minimum)
{
    double rate = (double)overflows / seconds / hertz;
    if (fabs(rate - 1) > NEAR)
        period = (u64)llround(fmin((double)period * fmax(rate, 1.0 / DOWN_MOST), SYS_PERIOD_MAX));
    return period < minimum ? minimum : period;
}

u64 frequency_least(const struct sampling_request *request, u32 index)
{
    u64 minimum = sampling_min_period(request);
    u64 least = threshold_default(request->events.events[index].name) / FREQUENCY_LEAST_PART;
    return least < minimum ? minimum : least;
}

double frequency_seconds(u64 ticks)
{
    u64 hz = session_machine()->timebase_hz;
    return hz == 0 ? 0 : (double)ticks / (double)hz;
}

// ---- the first thresholds ----------------------------------------------------------------------

// Each event is a set of its own if they do not fit the counters together.
static void want_counts(const struct event_list *list, const struct sampling_request *request,
                        bool together, struct count_request *wanted)
{
    *wanted = (struct count_request){.cpu_mask = request->cpu_mask,
                                     .slice_event = count_slice_event(list),
                                     .slice = COUNT_SLICE};
    for (u32 i = 0; i < request->events.count; i++) {
        const struct sampled_event *event = &request->events.events[i];
        if (!event->kept)
            continue;
        wanted->items[wanted->item_count] = (struct count_item){
            .event = event_list_find(list, event->name, strlen(event->name)),
            .mode = event->mode,
            .set = together ? 0 : wanted->item_count,
        };
        wanted->item_count++;
    }
    wanted->set_count = together ? 1 : wanted->item_count;
    for (u32 set = 0; set < wanted->set_count; set++)
        wanted->shares[set] = 1;
}

// Returns how often an event comes in a second on the CPU where it comes most often. Negative: not
// known.
static double most_often(const struct count_reading *reading, u32 item, u64 begin)
{
    double most = -1;
    for (u32 cpu = 0; cpu < reading->cpu_count; cpu++) {
        const struct count *count = &reading->cpus[cpu].counts[item];
        double seconds = frequency_seconds(reading->cpus[cpu].time - begin);
        if (count_is_known(count) && seconds > 0)
            most = fmax(most, (double)count->count / seconds);
    }
    return most;
}

// At the thresholds of S000 a busy CPU has some hundred samples a second.
static u64 first_guess(const struct sampling_request *request, u32 index)
{
    u64 guess = threshold_default(request->events.events[index].name) * 100 / request->frequency;
    u64 least = frequency_least(request, index);
    return guess < least ? least : guess < SYS_PERIOD_MAX ? guess : SYS_PERIOD_MAX;
}

static void set_first_periods(struct sampling_request *request, const struct count_reading *reading,
                              u64 begin)
{
    for (u32 i = 0, item = 0; i < request->events.count; i++) {
        struct sampled_event *event = &request->events.events[i];
        if (!event->kept)
            continue;
        double rate = most_often(reading, item++, begin);
        event->period = first_guess(request, i);
        if (rate >= 0)
            event->period = frequency_next(1, (u64)rate, 1, (double)request->frequency,
                                           frequency_least(request, i));
    }
}

int frequency_choose(const struct event_list *list, struct sampling_request *request)
{
    static struct count_request wanted; // static because they are large
    static struct count_reading reading;
    u64 begin = 0;
    int error = 0, code = KOV_OK;
    reading.cpu_count = 0;
    want_counts(list, request, true, &wanted);
    if (wanted.item_count == 0)
        return KOV_OK;
    if (request->with_workload) {
        set_first_periods(request, &reading, 0);
        return KOV_OK;
    }
    code = counting_try(&wanted, &begin, &error);
    if (code == KOV_OK && error != 0) {
        want_counts(list, request, false, &wanted);
        code = counting_try(&wanted, &begin, &error);
    }
    if (code == KOV_OK && error == 0)
        code = dci_listen(COUNT_SECONDS);
    if (code == KOV_OK && error == 0)
        code = counting_stop(&wanted, &reading);
    set_first_periods(request, &reading, begin);
    return code;
}

// ---- corrections -------------------------------------------------------------------------------

static double correct_seconds(const struct frequency *frequency)
{
    double seconds = CORRECT_SECONDS_FIRST * exp2(fmin(frequency->corrections, 10));
    double enough = CORRECT_SAMPLES / (double)frequency->request->frequency;
    return fmin(fmax(fmin(seconds, CORRECT_SECONDS), enough), CORRECT_SECONDS_MAX);
}

static u32 cpus_of(const struct sample_set *set)
{
    return set->cpu_count < ORRERY_MAX_CPUS ? (u32)set->cpu_count : ORRERY_MAX_CPUS;
}

static struct frequency_counts counts_of(const struct sample_stream *stream)
{
    return (struct frequency_counts){
        .overflows = samples_overflows(stream),
        .taken = stream->taken,
        .measured = stream->share.measured,
        .total = stream->share.total,
    };
}

static void remember(struct frequency *frequency, const struct sample_set *set)
{
    frequency->last = clock_now();
    frequency->since = set->now;
    for (u32 i = 0; i < frequency->request->events.count; i++) {
        frequency->events[i].received = set->by_event[i].samples;
        for (u32 cpu = 0; cpu < cpus_of(set); cpu++)
            frequency->before[cpu][i] = counts_of(&set->cpus[cpu].streams[i]);
    }
}

void frequency_begin(struct frequency *frequency, const struct sampling_request *request)
{
    memset(frequency, 0, sizeof(*frequency));
    frequency->request = request;
    for (u32 i = 0; i < request->events.count; i++) {
        struct frequency_event *event = &frequency->events[i];
        event->asked = request->events.events[i].period;
        event->hertz = event->lowest = (double)request->frequency;
        event->rate = -1;
    }
}

// Returns whether kov keeps the event at the frequency. Not if somebody has set another threshold.
static bool is_kept(const struct frequency *frequency, const struct sample_set *set, u32 index)
{
    return frequency->request->events.events[index].kept &&
           samples_period(set, index) == frequency->events[index].asked;
}

// Returns whether an idle machine has become busy: samples come in a flood.
static bool is_flooded(const struct frequency *frequency, const struct sample_set *set)
{
    double seconds = fmax(clock_now() - frequency->last, FLOOD_SECONDS);
    double cpus = fmax(1, (double)set->cpu_count);
    for (u32 i = 0; i < frequency->request->events.count; i++) {
        const struct frequency_event *event = &frequency->events[i];
        u64 now = set->by_event[i].samples;
        u64 fresh = now < event->received ? now : now - event->received; // `kov top` forgets some
        if (is_kept(frequency, set, i) && (double)fresh > FLOOD * event->hertz * seconds * cpus)
            return true;
    }
    return false;
}

struct change {
    u64 period;            // the threshold that the busiest CPU needs
    double rate;           // overflows a second there; negative: not known
    u64 overflows, unseen; // of all CPUs: with and without a sample, and those without
};

// Looks at what each CPU has counted since the last correction. While an event waits for its turn
// it has no samples, and that time does not count.
static struct change look(const struct frequency *frequency, const struct sample_set *set,
                          u32 index, double seconds)
{
    const struct frequency_event *event = &frequency->events[index];
    u64 least = frequency_least(frequency->request, index), period = samples_period(set, index);
    struct change change = {.rate = -1};
    for (u32 cpu = 0; cpu < cpus_of(set); cpu++) {
        struct frequency_counts now = counts_of(&set->cpus[cpu].streams[index]);
        const struct frequency_counts *before = &frequency->before[cpu][index];
        u64 measured = now.measured - before->measured, total = now.total - before->total;
        double part = total == 0 || measured > total ? 1 : (double)measured / (double)total;
        u64 overflows = now.overflows - before->overflows, taken = now.taken - before->taken;
        change.overflows += overflows;
        change.unseen += overflows > taken ? overflows - taken : 0;
        if (part <= 0)
            continue;
        u64 next = frequency_next(period, overflows, seconds * part, event->hertz, least);
        change.period = next > change.period ? next : change.period;
        change.rate = fmax(change.rate, (double)overflows / (seconds * part));
    }
    return change;
}

// Halves the rate of an event if the machine does not keep up with it, and tries more again after a
// while. What is lost in a flood says nothing of the rate that was meant, nor does what came of it
// after that statistic and before the new threshold. Returns whether the rate is another one now.
static bool adapt(const struct frequency *frequency, struct frequency_event *event,
                  const struct change *change)
{
    double before = event->hertz;
    bool was_flooded = event->flooded;
    event->flooded = change->rate > FLOOD * event->hertz;
    if (event->flooded || was_flooded)
        return false;
    event->overflows += change->overflows;
    event->unseen += change->unseen;
    if (event->overflows < JUDGED)
        return false;
    if ((double)event->unseen > LOSS * (double)event->overflows) {
        event->hertz = fmin(event->hertz, fmax(event->hertz / 2, LOWEST));
        event->clean = 0;
    } else if (++event->clean >= CLEAN) {
        event->hertz = fmin(2 * event->hertz, (double)frequency->request->frequency);
        event->clean = 0;
    }
    event->overflows = event->unseen = 0;
    event->lowest = fmin(event->lowest, event->hertz);
    return event->hertz != before;
}

// A refusal is no failure: the next correction comes soon.
static int correct(struct frequency *frequency, struct sample_set *set, u32 index, double seconds)
{
    struct frequency_event *event = &frequency->events[index];
    u64 period = samples_period(set, index);
    struct change change = look(frequency, set, index, seconds);
    int error = 0;
    if (change.rate < 0)
        return KOV_OK;
    event->rate = change.rate;
    if (adapt(frequency, event, &change))
        change = look(frequency, set, index, seconds);
    if (change.period == period)
        return KOV_OK;
    event->asked = change.period;
    int code = sampling_try_change(&sampling_options, index, change.period, &error);
    if (error != 0)
        event->asked = period;
    return code;
}

// The first time only looks: what was before the workload says nothing of it.
int frequency_attend(struct frequency *frequency, struct sample_set *set)
{
    const struct sampled_events *events = &frequency->request->events;
    bool any = false;
    for (u32 i = 0; i < events->count; i++)
        any |= is_kept(frequency, set, i);
    bool is_first = !frequency->begun;
    bool is_due = is_first || clock_now() >= frequency->last + correct_seconds(frequency);
    if (!any || (!is_due && !is_flooded(frequency, set)))
        return KOV_OK;
    int code = sampling_stat(set);
    double seconds = set->now > frequency->since && !is_first
                         ? frequency_seconds(set->now - frequency->since)
                         : 0;
    for (u32 i = 0; i < events->count && code == KOV_OK && seconds > 0; i++)
        if (is_kept(frequency, set, i))
            code = correct(frequency, set, i, seconds);
    frequency->corrections += !is_first;
    frequency->begun = true;
    remember(frequency, set);
    return code;
}
