// SPDX-License-Identifier: MIT
// Prints counts by object: one row an object, one column an event, and the metrics whose events are
// there.
#include "samples/object_counts_print.h"
#include "counts/stat_cell.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static size_t shown_rows(const struct object_view *view)
{
    size_t count = view->counts->count;
    return view->max_rows == 0 || view->max_rows > count ? count : view->max_rows;
}

// ---- the rows ----------------------------------------------------------------------------------

static void put_names(json_t *json, const struct object_view *view, const struct object_row *row)
{
    const struct object_info *object = snapshot_object(view->snapshot, row->pid, row->coid);
    char name[OBJECT_NAME_BYTES] = "[gone]";
    put_text(json, "missing", row->missing);
    if (row->missing == NULL)
        put_hex(json, "coid", row->coid);
    else
        put_text(json, "coid", NULL);
    if (object != NULL)
        snapshot_class_name(view->snapshot, row->pid, object->class_id, name);
    put_text(json, "class", row->missing == NULL ? name : NULL);
    put_u64(json, "pid", row->pid);
    snapshot_process_name(view->snapshot, row->pid, name);
    put_text(json, "process", name);
}

static void put_counts(json_t *json, const struct object_view *view, const struct object_row *row)
{
    json_t *list = put_array(json, "events");
    for (u32 i = 0; i < view->counts->request.item_count; i++) {
        const struct count_item *item = &view->counts->request.items[i];
        const struct sample_sum *sum = &row->sums[i];
        json_t *event = put_object(list, NULL);
        put_text(event, "event", item->event->name);
        put_text(event, "mode", count_mode_name(item->mode));
        put_u64(event, "samples", sum->samples);
        put_u64(event, "count", sum->events);
        put_number(event, "error", sum->samples == 0 ? (double)NAN : samples_error(sum->square));
        put_number(event, "share", object_counts_share(view->counts, row, i));
    }
}

struct place {
    const struct object_counts *counts;
    const struct object_row *row;
};

static bool compute(const void *context, const struct metric *metric, enum count_mode mode,
                    struct metric_value *value)
{
    const struct place *place = context;
    return object_counts_metric(place->counts, place->row, metric, mode, value);
}

json_t *object_counts_put(json_t *json, const struct object_view *view)
{
    json_t *list = put_array(json, "objects");
    for (size_t i = 0; i < shown_rows(view); i++) {
        const struct object_row *row = &view->counts->rows[i];
        json_t *entry = put_object(list, NULL);
        put_names(entry, view, row);
        put_counts(entry, view, row);
        stat_put_metrics(entry, compute, &(struct place){view->counts, row});
    }
    return list;
}

// ---- the tables --------------------------------------------------------------------------------

static const json_t *event_of(const struct column *column, const json_t *row)
{
    const json_t *event = json_array_get(json_object_get(row, "events"), column->index);
    return json_integer_value(json_object_get(event, "samples")) == 0 ? NULL : event;
}

static void count_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *event = event_of(column, row);
    json_int_t count = json_integer_value(json_object_get(event, "count"));
    strcpy(text, CELL_UNKNOWN);
    if (event != NULL)
        snprintf(text, CELL_BYTES, "%" JSON_INTEGER_FORMAT " ± %.2f %%", count,
                 100 * json_number_value(json_object_get(event, "error")) / (double)count);
}

static void share_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *event = event_of(column, row);
    strcpy(text, CELL_UNKNOWN);
    if (event != NULL)
        snprintf(text, CELL_BYTES, "%.2f %%", json_number_value(json_object_get(event, "share")));
}

static void object_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const char *missing = json_string_value(json_object_get(row, "missing"));
    snprintf(text, CELL_BYTES, "%s",
             missing != NULL ? missing : json_string_value(json_object_get(row, column->key)));
}

// Fills in the columns with which each row begins. Returns how many there are.
static u32 name_columns(struct column columns[4], const json_t *rows)
{
    size_t width = strlen("CLASS");
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *class = json_object_get(json_array_get(rows, i), "class");
        width = json_string_length(class) > width ? json_string_length(class) : width;
    }
    columns[0] =
        (struct column)COLUMN("OBJECT", "coid", -12, .compose = object_text, .rank = RANK_KEEP);
    columns[1] = (struct column)COLUMN("CLASS", "class", -(int)width, .rank = RANK_KEEP);
    columns[2] = (struct column)HIDDEN("pid");
    columns[3] = (struct column)COLUMN("PROCESS", "process", -1);
    return 4;
}

const struct column *object_counts_columns(const struct object_view *view, const json_t *rows)
{
    static struct column columns[3 * SAMPLED_EVENTS_MAX + 5];
    static char titles[SAMPLED_EVENTS_MAX][COUNT_NAME_BYTES], keys[SAMPLED_EVENTS_MAX][32],
        errors[SAMPLED_EVENTS_MAX][32];
    const struct count_request *request = &view->counts->request;
    u32 count = 0;
    for (u32 i = 0; i < request->item_count; i++) {
        snprintf(keys[i], sizeof(keys[i]), "events.%" PRIu32 ".count", i);
        snprintf(errors[i], sizeof(errors[i]), "events.%" PRIu32 ".error", i);
        columns[count++] =
            (struct column)COLUMN(count_item_name(&request->items[i], titles[i]), keys[i],
                                  STAT_CELL_WIDE, .compose = count_text, .index = i);
        columns[count++] = (struct column)HIDDEN(errors[i]);
        columns[count++] =
            (struct column)COLUMN("SHARE", NULL, 8, .compose = share_text, .index = i);
    }
    count += name_columns(columns + count, rows);
    columns[count] = (struct column)COLUMNS_END;
    return columns;
}

void object_counts_print(const struct object_view *view)
{
    struct column columns[STAT_METRIC_COLUMNS + 5];
    json_t *document = json_object(), *rows = object_counts_put(document, view);
    columns_print(object_counts_columns(view, rows), rows, view->label);
    if (shown_rows(view) < view->counts->count)
        printf("%s%zu objects more\n", view->label, view->counts->count - shown_rows(view));
    u32 count = stat_metric_columns(rows, columns);
    if (count > 0) {
        count += name_columns(columns + count, rows);
        columns[count] = (struct column)COLUMNS_END;
        putchar('\n');
        columns_print(columns, rows, view->label);
    }
    json_decref(document);
}
