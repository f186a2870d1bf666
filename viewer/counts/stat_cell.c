// SPDX-License-Identifier: MIT
// What the tables of `kov stat` share.
#include "counts/stat_cell.h"

#include <math.h>
#include <string.h>

void stat_cell_title(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *name = json_object_get(row, "event");
    const char *mode = json_string_value(json_object_get(row, "mode"));
    bool all = strcmp(mode, count_mode_name(COUNT_ALL)) == 0;
    (void)column;
    name = name != NULL ? name : json_object_get(row, "metric");
    snprintf(text, CELL_BYTES, "%s%s%.1s", json_string_value(name), all ? "" : ":",
             all ? "" : mode);
}

// Names the CPUs that a ratio does not have, if any.
static void put_left_out(json_t *row, u32 left_out)
{
    json_t *cpus = left_out == 0 ? NULL : put_array(row, "without_cpus");
    for (u32 cpu = 0; cpu < 32 && cpus != NULL; cpu++)
        if (left_out >> cpu & 1)
            put_u64(cpus, NULL, cpu);
}

json_t *stat_put_metrics(json_t *at, stat_compute *compute, const void *context)
{
    json_t *list = put_array(at, "metrics");
    for (enum count_mode mode = COUNT_ALL; mode < COUNT_MODES; mode++)
        for (size_t i = 0; i < metric_count; i++) {
            struct metric_value value;
            if (!compute(context, &metrics[i], mode, &value))
                continue;
            json_t *row = put_object(list, NULL);
            put_text(row, "metric", metrics[i].name);
            put_text(row, "mode", count_mode_name(mode));
            put_bool(row, "percent", metrics[i].percent);
            put_number(row, "value", value.value);
            put_number(row, "error", value.error < 0 ? (double)NAN : value.error);
            put_text(row, "formula", metrics[i].formula);
            put_left_out(row, value.left_out);
        }
    return list;
}

static const json_t *find_metric(const json_t *row, const char *title)
{
    const json_t *list = json_object_get(row, "metrics");
    for (size_t i = 0; i < json_array_size(list); i++) {
        char text[CELL_BYTES];
        stat_cell_title(NULL, json_array_get(list, i), text);
        if (strcmp(text, title) == 0)
            return json_array_get(list, i);
    }
    return NULL;
}

// Writes a cell such as "0.5000 ± 0.0100 %". It begins with ~ if the error is not known.
static void metric_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *metric = find_metric(row, column->heading);
    const json_t *error = json_object_get(metric, "error");
    double value = json_number_value(json_object_get(metric, "value"));
    const char *unit = json_is_true(json_object_get(metric, "percent")) ? " %" : "";
    if (metric == NULL)
        strcpy(text, CELL_UNKNOWN);
    else if (json_number_value(error) > 0)
        snprintf(text, CELL_BYTES, "%.4f ± %.4f%s", value, json_number_value(error), unit);
    else
        snprintf(text, CELL_BYTES, "%s%.4f%s", json_is_null(error) ? "~" : "", value, unit);
}

u32 stat_metric_columns(const json_t *rows, struct column columns[STAT_METRIC_COLUMNS])
{
    static char titles[COUNT_MODES][METRICS_MAX][CELL_BYTES];
    u32 count = 0;
    for (enum count_mode mode = COUNT_ALL; mode < COUNT_MODES; mode++)
        for (size_t i = 0; i < metric_count; i++) {
            char *title = titles[mode][i];
            bool found = false;
            snprintf(title, CELL_BYTES, "%s%s", metrics[i].name, count_mode_suffix(mode));
            for (size_t row = 0; row < json_array_size(rows) && !found; row++)
                found = find_metric(json_array_get(rows, row), title) != NULL;
            if (found)
                columns[count++] =
                    (struct column)COLUMN(title, NULL, STAT_CELL_WIDE, .compose = metric_text);
        }
    return count;
}
