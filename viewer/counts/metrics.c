// SPDX-License-Identifier: MIT
// The metrics of KOV (S000 §4.2): one table of formulas over counts of events.
#include "counts/metrics.h"

#include <math.h>
#include <string.h>

#define ANY_SET UINT32_MAX
#define NO_ITEM UINT32_MAX

// A turn of a spin lock's loop is four instructions. Only locks use larx and stcx.
#define LOCK 4

const struct metric metrics[] = {
    {"IPC", "instructions / cycles", false, 1, {{"instructions", 1}}, "cycles"},
    {"lock acquisition",
     "4 (stcx - stcx-failed) / instructions",
     true,
     LOCK,
     {{"stcx", 1}, {"stcx-failed", -1}},
     "instructions"},
    {"spin contention", "4 larx / instructions", true, LOCK, {{"larx", 1}}, "instructions"},
    {"branch misprediction", "mispredicted / branches", true, 1, {{"mispredicted", 1}}, "branches"},
    {"TLB miss rate",
     "(itlb-miss + dtlb-miss) / instructions",
     true,
     1,
     {{"itlb-miss", 1}, {"dtlb-miss", 1}},
     "instructions"},
};
const size_t metric_count = ARRAY_SIZE(metrics);
_Static_assert(ARRAY_SIZE(metrics) <= METRICS_MAX, "room in tables");

static u32 find_item(const struct count_request *request, const char *event, enum count_mode mode,
                     u32 set)
{
    for (u32 i = 0; i < request->item_count; i++) {
        const struct count_item *item = &request->items[i];
        if (item->mode == mode && (set == ANY_SET || item->set == set) &&
            strcmp(item->event->name, event) == 0)
            return i;
    }
    return NO_ITEM;
}

struct sum {
    double value, error;
    double measured;
    bool error_known;
};

static bool add_event(struct sum *sum, int sign, const char *event,
                      const struct count_request *request, const struct count *counts,
                      enum count_mode mode, u32 set)
{
    u32 item = find_item(request, event, mode, set);
    if (item == NO_ITEM || !count_is_known(&counts[item]))
        return false;
    const struct count *count = &counts[item];
    sum->value += sign * (double)count->count;
    sum->error_known = sum->error_known && count->error != COUNT_ERROR_UNKNOWN;
    sum->error = hypot(sum->error, (double)count->error);
    sum->measured = fmin(sum->measured, count_fraction(count));
    return true;
}

// Divides two sums. Takes their errors as independent of each other.
static void divide(const struct metric *metric, const struct sum *above, const struct sum *below,
                   struct metric_value *value)
{
    double scale = metric->factor * (metric->percent ? 100 : 1) / below->value;
    value->value = scale * above->value;
    value->error = fabs(scale) * hypot(above->error, above->value * below->error / below->value);
    if (!above->error_known || !below->error_known)
        value->error = -1;
    value->measured = fmin(above->measured, below->measured);
    value->left_out = 0;
}

static bool compute_in(const struct metric *metric, const struct count_request *request,
                       const struct count *counts, enum count_mode mode, u32 set,
                       struct metric_value *value)
{
    struct sum above = {.measured = 1, .error_known = true}, below = above;
    for (u32 i = 0; i < METRIC_TERMS && metric->terms[i].event != NULL; i++)
        if (!add_event(&above, metric->terms[i].sign, metric->terms[i].event, request, counts, mode,
                       set))
            return false;
    if (!add_event(&below, 1, metric->divisor, request, counts, mode, set) || below.value <= 0)
        return false;
    divide(metric, &above, &below, value);
    return true;
}

bool metric_compute(const struct metric *metric, const struct count_request *request,
                    const struct count *counts, enum count_mode mode, struct metric_value *value)
{
    for (u32 set = 0; set < request->set_count; set++)
        if (compute_in(metric, request, counts, mode, set, value))
            return true;
    return compute_in(metric, request, counts, mode, ANY_SET, value);
}

// ---- of several CPUs ----------------------------------------------------------------------------

// The items that a metric needs, of one set.
struct needed {
    u32 items[METRIC_TERMS + 1];
    u32 count;
};

static bool find_needed(const struct metric *metric, const struct count_request *request,
                        enum count_mode mode, u32 set, struct needed *needed)
{
    *needed = (struct needed){0};
    for (u32 i = 0; i <= METRIC_TERMS; i++) {
        const char *event = i < METRIC_TERMS ? metric->terms[i].event : metric->divisor;
        if (event == NULL)
            continue;
        u32 item = find_item(request, event, mode, set);
        if (item == NO_ITEM)
            return false;
        needed->items[needed->count++] = item;
    }
    return true;
}

// Returns whether all that the metric needs was measured on the CPU. If no time has passed on it,
// there was nothing to measure.
static bool is_measured(const struct cpu_counts *cpu, const struct needed *needed)
{
    for (u32 i = 0; i < needed->count; i++)
        if (!count_is_known(&cpu->counts[needed->items[i]]))
            return false;
    return true;
}

static bool compute_of_cpus(const struct metric *metric, const struct count_request *request,
                            const struct count_reading *reading, u32 cpu, enum count_mode mode,
                            u32 set, struct metric_value *value)
{
    struct count counts[COUNT_ITEMS_MAX] = {0};
    struct needed needed;
    u32 left_out = 0;
    if (!find_needed(metric, request, mode, set, &needed))
        return false;
    for (u32 i = 0; i < reading->cpu_count; i++) {
        const struct cpu_counts *one = &reading->cpus[i];
        if (cpu != ALL_CPUS && one->cpu != cpu)
            continue;
        if (!is_measured(one, &needed)) {
            left_out |= one->cpu < 32 ? 1u << one->cpu : 0;
            continue;
        }
        for (u32 item = 0; item < request->item_count; item++)
            count_add(&counts[item], &one->counts[item]);
    }
    bool known = compute_in(metric, request, counts, mode, set, value);
    value->left_out = left_out;
    return known;
}

bool metric_of_reading(const struct metric *metric, const struct count_request *request,
                       const struct count_reading *reading, u32 cpu, enum count_mode mode,
                       struct metric_value *value)
{
    bool found = false;
    for (u32 i = 0; i <= request->set_count; i++) {
        struct metric_value one = {0};
        u32 set = i < request->set_count ? i : ANY_SET;
        if (!compute_of_cpus(metric, request, reading, cpu, mode, set, &one) ||
            (found && __builtin_popcount(one.left_out) >= __builtin_popcount(value->left_out)))
            continue;
        *value = one;
        found = true;
    }
    return found;
}

struct metric_value metric_of_interval(const struct metric *metric,
                                       const struct count_request *request,
                                       const struct count_reading *between, u32 cpu,
                                       enum count_mode mode)
{
    const struct metric_value unknown = {NAN, NAN, NAN, 0};
    struct metric_value value;
    if (!metric_of_reading(metric, request, between, cpu, mode, &value))
        return unknown;
    if (value.error < 0)
        value.error = NAN;
    return value;
}
