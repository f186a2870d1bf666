// SPDX-License-Identifier: MIT
// Counts by object, as a table or as JSON.
#include "samples/object_counts_print.h"
#include "counts/stat_cell.h"
#include "samples/event_summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define SHARE_WIDTH 8

static size_t shown_rows(const struct object_view *view)
{
    size_t count = view->counts->count;
    return view->max_rows == 0 || view->max_rows > count ? count : view->max_rows;
}

// ---- names -------------------------------------------------------------------------------------

static void class_text(const struct object_view *view, const struct object_row *row,
                       char name[OBJECT_NAME_BYTES])
{
    const struct object_info *object = snapshot_object(view->snapshot, row->pid, row->coid);
    if (row->missing != NULL)
        strcpy(name, "-");
    else if (object == NULL)
        strcpy(name, "[gone]");
    else
        snapshot_class_name(view->snapshot, row->pid, object->class_id, name);
}

static int class_width(const struct object_view *view)
{
    size_t width = strlen("CLASS");
    for (size_t i = 0; i < shown_rows(view); i++) {
        char name[OBJECT_NAME_BYTES];
        class_text(view, &view->counts->rows[i], name);
        width = strlen(name) > width ? strlen(name) : width;
    }
    return (int)width;
}

static void print_names(const struct object_view *view, const struct object_row *row, int width)
{
    char object[24], class[OBJECT_NAME_BYTES], process[OBJECT_NAME_BYTES];
    snprintf(object, sizeof(object), "0x%" PRIx64, row->coid);
    class_text(view, row, class);
    snapshot_process_name(view->snapshot, row->pid, process);
    printf(" %-12s %-*s  %s\n", row->missing == NULL ? object : row->missing, width, class,
           process);
}

static void print_names_heading(int width)
{
    printf(" %-12s %-*s  %s\n", "OBJECT", width, "CLASS", "PROCESS");
}

static void print_label_heading(const struct object_view *view)
{
    printf("%*s", (int)strlen(view->label), *view->label != '\0' ? "TIME " : "");
}

// ---- counts ------------------------------------------------------------------------------------

static void print_count(const struct object_view *view, const struct object_row *row, u32 event)
{
    const struct sample_sum *sum = &row->sums[event];
    char cell[STAT_CELL_BYTES] = "-", share[STAT_CELL_BYTES] = "-", error[ERROR_TEXT_BYTES];
    if (sum->samples != 0) {
        snprintf(cell, sizeof(cell), "%" PRIu64 " ± %s", sum->events, event_error_text(sum, error));
        snprintf(share, sizeof(share), "%.2f %%", object_counts_share(view->counts, row, event));
    }
    stat_cell_print(cell, STAT_CELL_WIDE);
    stat_cell_print(share, SHARE_WIDTH);
}

static void print_counts(const struct object_view *view, int width)
{
    const struct count_request *request = &view->counts->request;
    char name[COUNT_NAME_BYTES];
    print_label_heading(view);
    for (u32 i = 0; i < request->item_count; i++) {
        stat_cell_print(count_item_name(&request->items[i], name), STAT_CELL_WIDE);
        stat_cell_print("SHARE", SHARE_WIDTH);
    }
    print_names_heading(width);
    for (size_t i = 0; i < shown_rows(view); i++) {
        fputs(view->label, stdout);
        for (u32 event = 0; event < request->item_count; event++)
            print_count(view, &view->counts->rows[i], event);
        print_names(view, &view->counts->rows[i], width);
    }
    if (shown_rows(view) < view->counts->count)
        printf("%s%zu objects more\n", view->label, view->counts->count - shown_rows(view));
}

// ---- metrics -----------------------------------------------------------------------------------

struct column {
    const struct metric *metric;
    enum count_mode mode;
};

// Those that any of the rows has.
static u32 find_columns(const struct object_view *view, struct column *columns)
{
    u32 count = 0;
    for (enum count_mode mode = COUNT_ALL; mode < COUNT_MODES; mode++)
        for (size_t metric = 0; metric < metric_count; metric++) {
            struct metric_value value;
            bool found = false;
            for (size_t i = 0; i < shown_rows(view) && !found; i++)
                found = object_counts_metric(view->counts, &view->counts->rows[i], &metrics[metric],
                                             mode, &value);
            if (found)
                columns[count++] = (struct column){&metrics[metric], mode};
        }
    return count;
}

static void print_metric(const struct object_view *view, const struct object_row *row,
                         const struct column *column)
{
    char cell[STAT_CELL_BYTES];
    struct metric_value value;
    bool known = object_counts_metric(view->counts, row, column->metric, column->mode, &value);
    stat_cell_print(known ? stat_cell_metric(&value, column->metric->percent, cell) : "-",
                    STAT_CELL_WIDE);
}

static void print_metrics(const struct object_view *view, int width)
{
    struct column columns[COUNT_MODES * METRICS_MAX];
    u32 count = find_columns(view, columns);
    if (count == 0)
        return;
    putchar('\n');
    print_label_heading(view);
    for (u32 i = 0; i < count; i++) {
        char name[STAT_CELL_BYTES];
        stat_cell_print(stat_cell_metric_name(columns[i].metric, columns[i].mode, name),
                        STAT_CELL_WIDE);
    }
    print_names_heading(width);
    for (size_t row = 0; row < shown_rows(view); row++) {
        fputs(view->label, stdout);
        for (u32 i = 0; i < count; i++)
            print_metric(view, &view->counts->rows[row], &columns[i]);
        print_names(view, &view->counts->rows[row], width);
    }
}

void object_counts_print(const struct object_view *view)
{
    int width = class_width(view);
    print_counts(view, width);
    print_metrics(view, width);
}

// ---- JSON --------------------------------------------------------------------------------------

static void json_names(struct json *json, const struct object_view *view,
                       const struct object_row *row)
{
    char name[OBJECT_NAME_BYTES];
    json_text(json, "missing", row->missing);
    if (row->missing == NULL)
        json_hex(json, "coid", row->coid);
    else
        json_text(json, "coid", NULL);
    class_text(view, row, name);
    json_text(json, "class", row->missing == NULL ? name : NULL);
    json_u64(json, "pid", row->pid);
    snapshot_process_name(view->snapshot, row->pid, name);
    json_text(json, "process", name);
}

static void json_counts(struct json *json, const struct object_view *view,
                        const struct object_row *row)
{
    json_open_array(json, "events");
    for (u32 i = 0; i < view->counts->request.item_count; i++) {
        const struct count_item *item = &view->counts->request.items[i];
        const struct sample_sum *sum = &row->sums[i];
        json_open_object(json, NULL);
        json_text(json, "event", item->event->name);
        json_text(json, "mode", count_mode_name(item->mode));
        json_u64(json, "samples", sum->samples);
        json_u64(json, "count", sum->events);
        json_number(json, "error", sum->samples == 0 ? (double)NAN : samples_error(sum->square));
        json_number(json, "share", object_counts_share(view->counts, row, i));
        json_close(json);
    }
    json_close(json);
}

static void json_metrics(struct json *json, const struct object_view *view,
                         const struct object_row *row)
{
    json_open_array(json, "metrics");
    for (enum count_mode mode = COUNT_ALL; mode < COUNT_MODES; mode++)
        for (size_t i = 0; i < metric_count; i++) {
            struct metric_value value;
            if (!object_counts_metric(view->counts, row, &metrics[i], mode, &value))
                continue;
            json_open_object(json, NULL);
            stat_json_metric(json, &metrics[i], mode, &value);
            json_close(json);
        }
    json_close(json);
}

void object_counts_json(struct json *json, const struct object_view *view)
{
    json_open_array(json, "objects");
    for (size_t i = 0; i < shown_rows(view); i++) {
        const struct object_row *row = &view->counts->rows[i];
        json_open_object(json, NULL);
        json_names(json, view, row);
        json_counts(json, view, row);
        json_metrics(json, view, row);
        json_close(json);
    }
    json_close(json);
}
