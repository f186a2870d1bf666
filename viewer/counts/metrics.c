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

struct metric_value metric_of_interval(const struct metric *metric,
                                       const struct count_request *request,
                                       const struct count_reading *between, u32 cpu,
                                       enum count_mode mode)
{
    const struct metric_value unknown = {NAN, NAN, NAN};
    struct metric_value value;
    struct count counts[COUNT_ITEMS_MAX] = {0};
    for (u32 i = 0; i < between->cpu_count; i++)
        if (cpu == ALL_CPUS || between->cpus[i].cpu == cpu)
            for (u32 item = 0; item < request->item_count; item++)
                count_add(&counts[item], &between->cpus[i].counts[item]);
    if (!metric_compute(metric, request, counts, mode, &value))
        return unknown;
    if (value.error < 0)
        value.error = NAN;
    return value;
}
