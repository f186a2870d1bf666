// SPDX-License-Identifier: MIT
// Prints an aggregate of samples as a table with call chains.
#include "samples/table.h"
#include "samples/event_summary.h"
#include "tools/memory.h"
#include "tools/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_INDENT 10
#define CHAIN_MIN_PERCENT 0.5 // of all events

// ---- the rows ----------------------------------------------------------------------------------

// Adds each chain as a flat list of function names. Nested objects would go deeper than JSON
// readers like.
static void put_chains(json_t *json, const struct aggregate *aggregate, const struct chain *chain,
                       const struct chain **path, size_t depth)
{
    u64 onward = 0, events = 0;
    path[depth] = chain;
    for (size_t i = 0; i < chain->count; i++) {
        onward += chain->callers[i].samples;
        events += chain->callers[i].events;
        put_chains(json, aggregate, &chain->callers[i], path, depth + 1);
    }
    if (onward == chain->samples || depth == 0)
        return;
    json_t *row = put_object(json, NULL);
    put_u64(row, "samples", chain->samples - onward);
    put_u64(row, "events", chain->events > events ? chain->events - events : 0); // rounded
    json_t *rows = put_array(row, "functions");
    for (size_t i = 1; i <= depth; i++)
        put_text(rows, NULL, aggregate_text(aggregate, path[i]->text));
}

static void put_sum(json_t *row, const struct aggregate *aggregate, const struct sample_sum *sum,
                    u64 soft_masked)
{
    put_u64(row, "samples", sum->samples);
    put_u64(row, "soft_masked", soft_masked);
    put_number(row, "percent", aggregate_percent(aggregate, sum->events));
    put_u64(row, "events", sum->events);
    put_number(row, "events_error", samples_error(sum->square) + aggregate->unseen);
}

static void put_row(json_t *json, const struct aggregate *aggregate,
                    const struct sampled_event *event, const struct aggregate_row *row)
{
    json_t *entry = put_object(json, NULL);
    if (output_form() == OUTPUT_CSV) // JSON has the event once, beside the rows
        event_name_json(entry, event);
    for (u32 i = 0; i < aggregate->sort.count; i++)
        put_text(entry, sort_key_name(aggregate->sort.keys[i]),
                 aggregate_text(aggregate, row->texts[i]));
    for (u32 i = 0; i < aggregate->sort.count; i++) {
        if (aggregate->sort.keys[i] == SORT_PROCESS)
            put_u64(entry, "pid", row->process);
        if (aggregate->sort.keys[i] == SORT_OBJECT && row->coid != 0) {
            put_hex(entry, "coid", row->coid);
            put_u64(entry, "coid_pid", row->pid);
        }
    }
    put_sum(entry, aggregate, &row->sum, row->soft_masked);
    if (aggregate->chains) {
        const struct chain *path[SAMPLE_MAX_CALLERS + 2];
        put_chains(put_array(entry, "chains"), aggregate, &row->chain, path, 0);
    }
}

json_t *table_put(json_t *json, const struct aggregate *aggregate,
                  const struct sampled_event *event, size_t max_rows)
{
    json_t *table = put_object(json, NULL);
    event_name_json(table, event);
    json_t *keys = put_array(table, "sort");
    for (u32 i = 0; i < aggregate->sort.count; i++)
        put_text(keys, NULL, sort_key_name(aggregate->sort.keys[i]));
    json_t *rows = put_array(table, "rows");
    for (size_t i = 0; i < aggregate->count && (max_rows == 0 || i < max_rows); i++)
        put_row(rows, aggregate, event, &aggregate->rows[i]);
    return table;
}

// ---- columns -----------------------------------------------------------------------------------

#define SUM_COLUMNS                                                                                \
    COLUMN("OVERHEAD", "percent", 9, .decimals = 2, .unit = " %"),                                 \
        COLUMN("SAMPLES", "samples", 9), COLUMN("MASKED", "soft_masked", 9, .rank = RANK_RARE),    \
        COLUMN("EVENTS", "events", 14),                                                            \
        COLUMN("+-", "events_error", 10, .compose = event_error_cell)
#define SUMS 5
#define PROGRAM_COLUMNS 5

static void no_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    (void)column;
    (void)row;
    text[0] = '\0';
}

// Returns the width of the longest cell, negative.
static int width_of_key(const char *key, const json_t *rows)
{
    size_t width = strlen(key);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        size_t length = json_string_length(json_object_get(json_array_get(rows, i), key));
        width = length > width ? length : width;
    }
    return -(int)width;
}

struct columns {
    struct column list[SUMS + PROGRAM_COLUMNS + SORT_KEYS + 1];
    char headings[SORT_KEYS][16];
};

// Makes one column for each key. Below a process, an indentation replaces its column, since the
// line above names it.
static void make_columns(struct columns *columns, const struct aggregate *aggregate,
                         const json_t *table, bool below_process)
{
    const json_t *rows = json_object_get(table, "rows");
    u32 count = SUMS;
    *columns = (struct columns){.list = {SUM_COLUMNS}};
    for (u32 i = 0; i < aggregate->sort.count; i++) {
        const char *key = sort_key_name(aggregate->sort.keys[i]);
        char *heading = columns->headings[i];
        for (size_t j = 0; j < sizeof(columns->headings[i]) - 1 && key[j] != '\0'; j++)
            heading[j] = (char)toupper((unsigned char)key[j]);
        if (i == 0 && below_process)
            columns->list[count++] = (struct column)COLUMN("", NULL, 2, .compose = no_text);
        else
            columns->list[count++] =
                (struct column)COLUMN(heading, key, width_of_key(key, rows), .rank = RANK_KEEP);
    }
    static const char *const keys[PROGRAM_COLUMNS] = {"pid", "coid", "coid_pid", "event", "mode"};
    for (size_t i = 0; i < PROGRAM_COLUMNS; i++)
        columns->list[count++] = (struct column)HIDDEN(keys[i]);
}

void table_csv(const struct aggregate *aggregate, const json_t *table)
{
    struct columns columns;
    make_columns(&columns, aggregate, table, false);
    columns_csv(columns.list, json_object_get(table, "rows"));
}

// ---- call chains -------------------------------------------------------------------------------

// Returns whether a chain is below the limit. Such callers are added up in one line.
static bool is_small(const struct aggregate *aggregate, const struct chain *chain)
{
    return aggregate_percent(aggregate, chain->events) < CHAIN_MIN_PERCENT;
}

static void print_small(const struct aggregate *aggregate, const struct chain *chain, int indent)
{
    u64 events = 0;
    size_t count = 0;
    for (size_t i = 0; i < chain->count; i++) {
        if (is_small(aggregate, &chain->callers[i])) {
            events += chain->callers[i].events;
            count++;
        }
    }
    if (count > 0)
        printf("%*s|- %6.2f %% [%zu more]\n", indent, "", aggregate_percent(aggregate, events),
               count);
}

static void print_callers(const struct aggregate *aggregate, const struct chain *chain, int indent);

// Prints one function of a chain and, below it, its callers. A single caller has no deeper
// indentation. The recursion is no deeper than SAMPLE_MAX_CALLERS + 1.
static void print_chain(const struct aggregate *aggregate, const struct chain *chain, int indent,
                        bool branch)
{
    const char *function = aggregate_text(aggregate, chain->text);
    if (branch)
        printf("%*s|- %6.2f %% ", indent, "", aggregate_percent(aggregate, chain->events));
    else
        printf("%*s|           ", indent, "");
    text_print(stdout, function);
    putchar('\n');
    if (chain->count == 1 && chain->callers[0].samples == chain->samples)
        print_chain(aggregate, &chain->callers[0], indent, false);
    else
        print_callers(aggregate, chain, indent + 3);
}

static void print_callers(const struct aggregate *aggregate, const struct chain *chain, int indent)
{
    for (size_t i = 0; i < chain->count; i++) {
        if (!is_small(aggregate, &chain->callers[i]))
            print_chain(aggregate, &chain->callers[i], indent, true);
    }
    print_small(aggregate, chain, indent);
}

// ---- grouped by process ------------------------------------------------------------------------

struct group {
    u32 text; // that of the process
    struct sample_sum sum;
    u64 soft_masked;
};

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->sum.events != b->sum.events)
        return a->sum.events > b->sum.events ? -1 : 1;
    return (a->text > b->text) - (a->text < b->text);
}

// Returns the processes, those with most events first. The caller frees them.
static struct group *make_groups(const struct aggregate *aggregate, size_t *count)
{
    struct group *groups = memory_get(aggregate->count * sizeof(*groups));
    *count = 0;
    for (size_t i = 0; i < aggregate->count; i++) {
        const struct aggregate_row *row = &aggregate->rows[i];
        size_t group = 0;
        while (group < *count && groups[group].text != row->texts[0])
            group++;
        if (group == *count)
            groups[(*count)++] = (struct group){.text = row->texts[0]};
        sample_sum_join(&groups[group].sum, &row->sum);
        groups[group].soft_masked += row->soft_masked;
    }
    if (*count > 1)
        qsort(groups, *count, sizeof(*groups), compare_groups);
    return groups;
}

// Prints each process and its rows below it. Kernel objects are listed under the process for which
// they worked.
static void print_groups(const struct aggregate *aggregate, const json_t *table)
{
    static const struct column group_columns[] = {SUM_COLUMNS, COLUMN("PROCESS", "process", -1),
                                                  COLUMNS_END};
    const json_t *rows = json_object_get(table, "rows");
    struct columns columns;
    size_t group_count;
    make_columns(&columns, aggregate, table, true);
    struct group *groups = make_groups(aggregate, &group_count);
    for (size_t group = 0; group < group_count; group++) {
        json_t *line = json_object();
        put_sum(line, aggregate, &groups[group].sum, groups[group].soft_masked);
        put_text(line, "process", aggregate_text(aggregate, groups[group].text));
        columns_row(group_columns, line);
        json_decref(line);
        for (size_t i = 0; i < json_array_size(rows); i++)
            if (aggregate->rows[i].texts[0] == groups[group].text) {
                columns_row(columns.list, json_array_get(rows, i));
                print_callers(aggregate, &aggregate->rows[i].chain, CHAIN_INDENT);
            }
    }
    free(groups);
}

void table_print(const struct aggregate *aggregate, const json_t *table)
{
    const json_t *rows = json_object_get(table, "rows");
    struct columns columns;
    make_columns(&columns, aggregate, table, false);
    columns_heading(columns.list, "");
    if (aggregate->sort.count > 1 && aggregate->sort.keys[0] == SORT_PROCESS) {
        print_groups(aggregate, table);
    } else {
        for (size_t i = 0; i < json_array_size(rows); i++) {
            columns_row(columns.list, json_array_get(rows, i));
            print_callers(aggregate, &aggregate->rows[i].chain, CHAIN_INDENT);
        }
    }
    if (json_array_size(rows) < aggregate->count)
        printf("%9s %zu rows more\n", "", aggregate->count - json_array_size(rows));
}
