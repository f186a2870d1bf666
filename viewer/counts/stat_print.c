// SPDX-License-Identifier: MIT
// Counts of events and their metrics, for people and as JSON.
#include "counts/stat_print.h"
#include "counts/stat_cell.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Places are indexes of CPUs in the reading, or ALL_CPUS.
static struct count count_of(const struct stat_view *view, u32 index, u32 item)
{
    return index == ALL_CPUS ? count_total(view->reading, item)
                             : view->reading->cpus[index].counts[item];
}

static double per_second(const struct stat_view *view, const struct count *count)
{
    return view->seconds > 0 ? (double)count->count / view->seconds : 0;
}

static void print_place(const struct stat_view *view, u32 index)
{
    fputs(view->label, stdout);
    if (view->per_cpu)
        printf("%3" PRIu32 " ", view->reading->cpus[index].cpu);
}

// ---- counts ------------------------------------------------------------------------------------

void stat_print_header(const struct stat_view *view)
{
    printf("%*s%s%20s  %-20s %16s\n", (int)strlen(view->label), *view->label != '\0' ? "TIME " : "",
           view->per_cpu ? "CPU " : "", "COUNT", "EVENT", "PER SECOND");
}

static void print_error(const struct count *count)
{
    if (count->error == COUNT_ERROR_UNKNOWN)
        printf("  %10s", "± unknown");
    else if (count->count == 0)
        printf("  ± %8" PRIu64, count->error);
    else
        printf("  ± %6.2f %%", 100 * (double)count->error / (double)count->count);
}

// Why an error is not known: one CPU is enough, such as one that has slept nearly all the time.
static void print_want_of_slices(const struct stat_view *view, u32 index, u32 item)
{
    const struct count_reading *reading = view->reading;
    const struct cpu_counts *cpu = count_without_slices(reading, item);
    if (index == ALL_CPUS && cpu != NULL)
        printf("  too few slices: %" PRIu64 " on CPU %" PRIu32, cpu->counts[item].slices, cpu->cpu);
    else if (index != ALL_CPUS && count_lacks_slices(&reading->cpus[index].counts[item]))
        printf("  too few slices: %" PRIu64, reading->cpus[index].counts[item].slices);
}

static void print_count(const struct stat_view *view, u32 index, u32 item)
{
    struct count count = count_of(view, index, item);
    char name[COUNT_NAME_BYTES];
    count_item_name(&view->request->items[item], name);
    print_place(view, index);
    if (!count_is_known(&count)) {
        printf("%20s  %s\n", "<not counted>", name);
        return;
    }
    printf("%20" PRIu64 "  %-20s %16.0f", count.count, name, per_second(view, &count));
    if (count.measured < count.total) {
        print_error(&count);
        printf("  (%5.1f %%)", 100 * count_fraction(&count));
        print_want_of_slices(view, index, item);
    }
    putchar('\n');
}

void stat_print_counts(const struct stat_view *view)
{
    for (u32 item = 0; item < view->reading->items; item++) {
        for (u32 cpu = 0; view->per_cpu && cpu < view->reading->cpu_count; cpu++)
            print_count(view, cpu, item);
        if (!view->per_cpu)
            print_count(view, ALL_CPUS, item);
    }
}

// ---- metrics -----------------------------------------------------------------------------------

static bool compute(const struct stat_view *view, u32 index, size_t metric, enum count_mode mode,
                    struct metric_value *value)
{
    struct count counts[COUNT_ITEMS_MAX];
    for (u32 item = 0; item < view->reading->items; item++)
        counts[item] = count_of(view, index, item);
    return metric_compute(&metrics[metric], view->request, counts, mode, value);
}

static bool print_metric(const struct stat_view *view, u32 index, size_t metric,
                         enum count_mode mode)
{
    struct metric_value value;
    char name[STAT_CELL_BYTES];
    if (!compute(view, index, metric, mode, &value))
        return false;
    const char *unit = metrics[metric].percent ? " %" : "  ";
    print_place(view, index);
    printf("%18.4f%s  %-22s", value.value, unit,
           stat_cell_metric_name(&metrics[metric], mode, name));
    if (value.error == 0)
        printf("%10s", "");
    else if (value.error < 0)
        printf("%-11s", "± unknown");
    else
        printf("± %.4f%s", value.error, unit);
    printf("  %s\n", metrics[metric].formula);
    return true;
}

u32 stat_print_metrics(const struct stat_view *view)
{
    u32 lines = 0;
    for (enum count_mode mode = COUNT_ALL; mode < COUNT_MODES; mode++)
        for (size_t metric = 0; metric < metric_count; metric++) {
            for (u32 cpu = 0; view->per_cpu && cpu < view->reading->cpu_count; cpu++)
                lines += print_metric(view, cpu, metric, mode);
            if (!view->per_cpu)
                lines += print_metric(view, ALL_CPUS, metric, mode);
        }
    return lines;
}

// ---- JSON --------------------------------------------------------------------------------------

void stat_json_count(struct json *json, const struct stat_view *view, const struct count *count)
{
    bool known = count_is_known(count);
    if (known)
        json_u64(json, "count", count->count);
    else
        json_text(json, "count", NULL);
    json_number(json, "per_second", known ? per_second(view, count) : (double)NAN);
    json_u64(json, "measured", count->measured);
    json_u64(json, "total", count->total);
    json_u64(json, "slices", count->slices);
    if (known && count->error != COUNT_ERROR_UNKNOWN)
        json_u64(json, "error", count->error);
    else
        json_text(json, "error", NULL);
}

static void json_event(struct json *json, const struct stat_view *view, u32 item)
{
    const struct count_item *asked = &view->request->items[item];
    struct count total = count_of(view, ALL_CPUS, item);
    json_open_object(json, NULL);
    json_text(json, "event", asked->event->name);
    json_text(json, "unit", asked->event->unit);
    json_bool(json, "modelled", asked->event->modelled);
    json_text(json, "mode", count_mode_name(asked->mode));
    json_u64(json, "set", asked->set);
    stat_json_count(json, view, &total);
    json_open_array(json, "cpus");
    for (u32 cpu = 0; cpu < view->reading->cpu_count; cpu++) {
        json_open_object(json, NULL);
        json_u64(json, "cpu", view->reading->cpus[cpu].cpu);
        stat_json_count(json, view, &view->reading->cpus[cpu].counts[item]);
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

static void json_metric(struct json *json, const struct stat_view *view, size_t metric,
                        enum count_mode mode)
{
    struct metric_value value;
    if (!compute(view, ALL_CPUS, metric, mode, &value))
        return;
    json_open_object(json, NULL);
    stat_json_metric(json, &metrics[metric], mode, &value);
    json_text(json, "formula", metrics[metric].formula);
    json_close(json);
}

void stat_json(struct json *json, const struct stat_view *view)
{
    json_number(json, "seconds", view->seconds);
    json_open_array(json, "events");
    for (u32 item = 0; item < view->reading->items; item++)
        json_event(json, view, item);
    json_close(json);
    json_open_array(json, "metrics");
    for (enum count_mode mode = COUNT_ALL; mode < COUNT_MODES; mode++)
        for (size_t metric = 0; metric < metric_count; metric++)
            json_metric(json, view, metric, mode);
    json_close(json);
}
