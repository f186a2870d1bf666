// SPDX-License-Identifier: MIT
// Prints counts of events and their metrics.
#include "counts/stat_print.h"
#include "counts/stat_cell.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// ---- counts ------------------------------------------------------------------------------------

// Returns a count. `index` is that of a CPU in the reading, or ALL_CPUS.
static struct count count_of(const struct stat_view *view, u32 index, u32 item)
{
    return index == ALL_CPUS ? count_total(view->reading, item)
                             : view->reading->cpus[index].counts[item];
}

// Adds a note of why an error is not known. One CPU is enough for that, such as one that has slept
// nearly all the time.
static void put_want_of_slices(json_t *row, const struct stat_view *view, u32 index, u32 item)
{
    const struct count_reading *reading = view->reading;
    const struct cpu_counts *cpu = count_without_slices(reading, item);
    char text[CELL_BYTES];
    if (index == ALL_CPUS && cpu != NULL)
        snprintf(text, sizeof(text), "too few slices: %" PRIu64 " on CPU %" PRIu32,
                 cpu->counts[item].slices, cpu->cpu);
    else if (index != ALL_CPUS && count_lacks_slices(&reading->cpus[index].counts[item]))
        snprintf(text, sizeof(text), "too few slices: %" PRIu64,
                 reading->cpus[index].counts[item].slices);
    else
        text[0] = '\0';
    put_text(row, "note", text[0] != '\0' ? text : NULL);
}

void stat_put_count(json_t *row, const struct stat_view *view, const struct count_item *item,
                    const struct count *count)
{
    bool known = count_is_known(count);
    put_text(row, "event", item->event->name);
    put_text(row, "mode", count_mode_name(item->mode));
    if (known)
        put_u64(row, "count", count->count);
    else
        put_text(row, "count", NULL);
    put_number(row, "per_second",
               !known              ? (double)NAN
               : view->seconds > 0 ? (double)count->count / view->seconds
                                   : 0);
    put_u64(row, "measured", count->measured);
    put_u64(row, "total", count->total);
    put_u64(row, "slices", count->slices);
    if (known && count->error != COUNT_ERROR_UNKNOWN)
        put_u64(row, "error", count->error);
    else
        put_text(row, "error", NULL);
}

static json_t *put_count(json_t *list, const struct stat_view *view, u32 index, u32 item)
{
    struct count count = count_of(view, index, item);
    json_t *row = put_object(list, NULL);
    if (index != ALL_CPUS)
        put_u64(row, "cpu", view->reading->cpus[index].cpu);
    stat_put_count(row, view, &view->request->items[item], &count);
    put_want_of_slices(row, view, index, item);
    return row;
}

// ---- metrics -----------------------------------------------------------------------------------

struct place {
    const struct stat_view *view;
    u32 index;
};

static bool compute(const void *context, const struct metric *metric, enum count_mode mode,
                    struct metric_value *value)
{
    const struct place *place = context;
    struct count counts[COUNT_ITEMS_MAX];
    if (place->index == ALL_CPUS)
        return metric_of_reading(metric, place->view->request, place->view->reading, ALL_CPUS, mode,
                                 value);
    for (u32 item = 0; item < place->view->reading->items; item++)
        counts[item] = count_of(place->view, place->index, item);
    return metric_compute(metric, place->view->request, counts, mode, value);
}

// ---- for people --------------------------------------------------------------------------------

static double number(const json_t *row, const char *key)
{
    return json_number_value(json_object_get(row, key));
}

static bool is_estimate(const json_t *row)
{
    return json_is_integer(json_object_get(row, "count")) &&
           number(row, "measured") < number(row, "total");
}

static void count_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *count = json_object_get(row, column->key);
    if (json_is_integer(count))
        snprintf(text, CELL_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(count));
    else
        strcpy(text, "<not counted>");
}

static void error_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *error = json_object_get(row, column->key);
    if (!is_estimate(row))
        strcpy(text, "");
    else if (json_is_null(error))
        strcpy(text, "± unknown");
    else if (number(row, "count") == 0)
        snprintf(text, CELL_BYTES, "± %8" JSON_INTEGER_FORMAT, json_integer_value(error));
    else
        snprintf(text, CELL_BYTES, "± %6.2f %%",
                 100 * json_number_value(error) / number(row, "count"));
}

static void part_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    strcpy(text, "");
    if (is_estimate(row))
        snprintf(text, CELL_BYTES, "(%5.1f %%)",
                 100 * number(row, "measured") / number(row, "total"));
}

static void note_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const char *note = json_string_value(json_object_get(row, column->key));
    snprintf(text, CELL_BYTES, "%s", note != NULL && is_estimate(row) ? note : "");
}

static const struct column count_columns[] = {
    COLUMN("CPU", "cpu", 3),
    COLUMN("COUNT", "count", 20, .compose = count_text),
    COLUMN("EVENT", "event", -20, .compose = stat_cell_title, .rank = RANK_KEEP),
    HIDDEN("mode"),
    COLUMN("PER SECOND", "per_second", 16),
    COLUMN("", "error", -10, .compose = error_text),
    COLUMN("", NULL, -10, .compose = part_text),
    HIDDEN("measured"),
    HIDDEN("total"),
    HIDDEN("slices"),
    COLUMN("", "note", -1, .compose = note_text),
    COLUMNS_END,
};

static void value_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    snprintf(text, CELL_BYTES, "%.4f%s", number(row, column->key),
             json_is_true(json_object_get(row, "percent")) ? " %" : "  ");
}

static void metric_error_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    if (json_is_null(json_object_get(row, column->key)))
        strcpy(text, "± unknown");
    else if (number(row, column->key) == 0)
        strcpy(text, "");
    else
        snprintf(text, CELL_BYTES, "± %.4f%s", number(row, column->key),
                 json_is_true(json_object_get(row, "percent")) ? " %" : "");
}

static void formula_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *cpus = json_object_get(row, "without_cpus"), *cpu;
    size_t at;
    int used =
        snprintf(text, CELL_BYTES, "%s", json_string_value(json_object_get(row, column->key)));
    json_array_foreach(cpus, at, cpu) if (used >= 0 && used < CELL_BYTES) used +=
        snprintf(text + used, (size_t)(CELL_BYTES - used), "%s%" JSON_INTEGER_FORMAT,
                 at == 0 ? ", but for what was not measured: CPU " : ", ", json_integer_value(cpu));
}

static const struct column metric_columns[] = {
    COLUMN("CPU", "cpu", 3),
    COLUMN("VALUE", "value", 20, .compose = value_text),
    COLUMN("METRIC", "metric", -21, .compose = stat_cell_title, .rank = RANK_KEEP),
    HIDDEN("mode"),
    HIDDEN("percent"),
    COLUMN("", "error", -12, .compose = metric_error_text),
    COLUMN("FORMULA", "formula", -1, .compose = formula_text),
    COLUMNS_END,
};

void stat_sheets(const struct stat_view *view, struct sheet sheets[3])
{
    sheets[0] = (struct sheet){"events", view->per_cpu ? count_columns : count_columns + 1};
    sheets[1] = (struct sheet){"metrics", view->per_cpu ? metric_columns : metric_columns + 1};
    sheets[2] = (struct sheet){NULL, NULL};
}

json_t *stat_document(const struct stat_view *view)
{
    json_t *document = json_object();
    json_t *events = put_array(document, "events"), *metrics = put_array(document, "metrics");
    u32 places = view->per_cpu ? view->reading->cpu_count : 1;
    for (u32 item = 0; item < view->reading->items; item++)
        for (u32 i = 0; i < places; i++)
            put_count(events, view, view->per_cpu ? i : ALL_CPUS, item);
    for (u32 i = 0; i < places; i++) {
        const struct place place = {view, view->per_cpu ? i : ALL_CPUS};
        json_t *all = json_object(), *list = stat_put_metrics(all, compute, &place), *row;
        size_t at;
        json_array_foreach(list, at, row) if (view->per_cpu)
            put_u64(row, "cpu", view->reading->cpus[i].cpu);
        json_array_extend(metrics, list);
        json_decref(all);
    }
    return document;
}

void stat_print(const struct stat_view *view, bool heading)
{
    struct sheet sheets[3];
    stat_sheets(view, sheets);
    json_t *document = stat_document(view);
    const json_t *found = json_object_get(document, "metrics");
    const json_t *counts = json_object_get(document, "events");
    if (*view->label == '\0') {
        columns_print(sheets[0].columns, counts, "");
    } else { // the rows of later intervals are not known yet
        if (heading)
            columns_heading(sheets[0].columns, view->label);
        columns_rows(sheets[0].columns, counts, view->label);
    }
    if (*view->label == '\0' && json_array_size(found) > 0)
        putchar('\n');
    columns_rows(sheets[1].columns, found, view->label);
    json_decref(document);
}

// ---- CSV ---------------------------------------------------------------------------------------

void stat_csv_interval(const struct stat_view *view, double time, bool heading)
{
    struct column columns[1 + ARRAY_SIZE(count_columns)] = {HIDDEN("time")};
    json_t *document = stat_document(view), *row;
    size_t at;
    memcpy(columns + 1, count_columns + (view->per_cpu ? 0 : 1),
           sizeof(count_columns) - (view->per_cpu ? 0 : sizeof(*count_columns)));
    json_array_foreach(json_object_get(document, "events"), at, row)
    {
        put_number(row, "time", time);
        if (heading && at == 0)
            columns_csv_heading(columns);
        columns_csv_row(columns, row);
    }
    json_decref(document);
}

// ---- JSON --------------------------------------------------------------------------------------

void stat_json(json_t *json, const struct stat_view *view)
{
    put_number(json, "seconds", view->seconds);
    json_t *list = put_array(json, "events");
    for (u32 item = 0; item < view->reading->items; item++) {
        const struct count_item *asked = &view->request->items[item];
        json_t *row = put_count(list, view, ALL_CPUS, item);
        put_text(row, "unit", asked->event->unit);
        put_bool(row, "modelled", asked->event->modelled);
        put_u64(row, "set", asked->set);
        json_t *cpus = put_array(row, "cpus");
        for (u32 cpu = 0; cpu < view->reading->cpu_count; cpu++)
            put_count(cpus, view, cpu, item);
    }
    stat_put_metrics(json, compute, &(struct place){view, ALL_CPUS});
}
