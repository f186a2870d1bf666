// SPDX-License-Identifier: MIT
// Prints an aggregate of samples: as a table with call chains, or as JSON.
#include "samples/table.h"
#include "samples/event_summary.h"
#include "tools/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_INDENT 10
#define CHAIN_MIN_PERCENT 0.5 // of all samples

static size_t shown_rows(const struct aggregate *aggregate, size_t max_rows)
{
    return max_rows == 0 || max_rows > aggregate->count ? aggregate->count : max_rows;
}

// Widths of all key columns but the last, which needs none.
static void measure(const struct aggregate *aggregate, size_t rows, int widths[SORT_KEYS])
{
    for (u32 i = 0; i < aggregate->sort.count; i++) {
        widths[i] = (int)strlen(sort_key_name(aggregate->sort.keys[i]));
        for (size_t row = 0; row < rows; row++) {
            int length = (int)strlen(aggregate_text(aggregate, aggregate->rows[row].texts[i]));
            widths[i] = length > widths[i] ? length : widths[i];
        }
    }
    widths[aggregate->sort.count - 1] = 0;
}

static void print_heading(FILE *out, const struct aggregate *aggregate, const int widths[SORT_KEYS])
{
    fprintf(out, "%9s %9s %9s %14s %10s", "OVERHEAD", "SAMPLES", "MASKED", "EVENTS", "+-");
    for (u32 i = 0; i < aggregate->sort.count; i++) {
        char heading[16] = "";
        const char *name = sort_key_name(aggregate->sort.keys[i]);
        for (size_t j = 0; j < sizeof(heading) - 1 && name[j] != '\0'; j++)
            heading[j] = (char)toupper((unsigned char)name[j]);
        fprintf(out, "  %-*s", widths[i], heading);
    }
    fputc('\n', out);
}

// Callers that stand for less than this are added up in one line.
static bool is_small(const struct aggregate *aggregate, const struct chain *chain)
{
    return aggregate_percent(aggregate, chain->samples) < CHAIN_MIN_PERCENT;
}

static void print_small(FILE *out, const struct aggregate *aggregate, const struct chain *chain,
                        int indent)
{
    u64 samples = 0;
    size_t count = 0;
    for (size_t i = 0; i < chain->count; i++) {
        if (is_small(aggregate, &chain->callers[i])) {
            samples += chain->callers[i].samples;
            count++;
        }
    }
    if (count > 0)
        fprintf(out, "%*s|- %6.2f %% [%zu more]\n", indent, "",
                aggregate_percent(aggregate, samples), count);
}

static void print_callers(FILE *out, const struct aggregate *aggregate, const struct chain *chain,
                          int indent);

// One function of a chain and, below it, its callers. A single caller stands below without deeper
// indentation. Recursion is no deeper than SAMPLE_MAX_CALLERS + 1.
static void print_chain(FILE *out, const struct aggregate *aggregate, const struct chain *chain,
                        int indent, bool branch)
{
    const char *function = aggregate_text(aggregate, chain->text);
    if (branch)
        fprintf(out, "%*s|- %6.2f %% %s\n", indent, "",
                aggregate_percent(aggregate, chain->samples), function);
    else
        fprintf(out, "%*s|           %s\n", indent, "", function);
    if (chain->count == 1 && chain->callers[0].samples == chain->samples)
        print_chain(out, aggregate, &chain->callers[0], indent, false);
    else
        print_callers(out, aggregate, chain, indent + 3);
}

static void print_callers(FILE *out, const struct aggregate *aggregate, const struct chain *chain,
                          int indent)
{
    for (size_t i = 0; i < chain->count; i++) {
        if (!is_small(aggregate, &chain->callers[i]))
            print_chain(out, aggregate, &chain->callers[i], indent, true);
    }
    print_small(out, aggregate, chain, indent);
}

// ---- grouped by process ------------------------------------------------------------------------

struct group {
    u32 text; // of the process
    struct sample_sum sum;
    u64 soft_masked;
};

static bool is_grouped(const struct aggregate *aggregate)
{
    return aggregate->sort.count > 1 && aggregate->sort.keys[0] == SORT_PROCESS;
}

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->sum.samples != b->sum.samples)
        return a->sum.samples > b->sum.samples ? -1 : 1;
    return (a->text > b->text) - (a->text < b->text);
}

// The processes with most samples first; freed by the caller.
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

static void print_counts(FILE *out, const struct aggregate *aggregate, const struct sample_sum *sum,
                         u64 soft_masked)
{
    char error[ERROR_TEXT_BYTES];
    fprintf(out, "%7.2f %% %9" PRIu64 " %9" PRIu64 " %14" PRIu64 " %10s",
            aggregate_percent(aggregate, sum->samples), sum->samples, soft_masked, sum->events,
            event_error_text(sum, error));
}

static void print_row(FILE *out, const struct aggregate *aggregate, const struct aggregate_row *row,
                      u32 first_key, const int widths[SORT_KEYS])
{
    print_counts(out, aggregate, &row->sum, row->soft_masked);
    fprintf(out, "%s", first_key > 0 ? "     " : "");
    for (u32 key = first_key; key < aggregate->sort.count; key++)
        fprintf(out, "  %-*s", widths[key], aggregate_text(aggregate, row->texts[key]));
    fputc('\n', out);
    print_callers(out, aggregate, &row->chain, CHAIN_INDENT);
}

// Each process, and below it its rows: kernel objects stand under the process that they worked for.
static void print_groups(FILE *out, const struct aggregate *aggregate, size_t max_rows,
                         const int widths[SORT_KEYS])
{
    size_t group_count, shown = 0;
    struct group *groups = make_groups(aggregate, &group_count);
    for (size_t group = 0; group < group_count; group++) {
        print_counts(out, aggregate, &groups[group].sum, groups[group].soft_masked);
        fprintf(out, "  %s\n", aggregate_text(aggregate, groups[group].text));
        for (size_t i = 0; i < aggregate->count; i++) {
            const struct aggregate_row *row = &aggregate->rows[i];
            if (row->texts[0] == groups[group].text && shown < max_rows) {
                print_row(out, aggregate, row, 1, widths);
                shown++;
            }
        }
    }
    if (shown < aggregate->count)
        fprintf(out, "%9s %zu rows more\n", "", aggregate->count - shown);
    free(groups);
}

void table_print(FILE *out, const struct aggregate *aggregate, size_t max_rows)
{
    int widths[SORT_KEYS];
    size_t rows = shown_rows(aggregate, max_rows);
    measure(aggregate, rows, widths);
    print_heading(out, aggregate, widths);
    if (is_grouped(aggregate)) {
        print_groups(out, aggregate, rows, widths);
        return;
    }
    for (size_t i = 0; i < rows; i++)
        print_row(out, aggregate, &aggregate->rows[i], 0, widths);
    if (rows < aggregate->count)
        fprintf(out, "%9s %zu rows more\n", "", aggregate->count - rows);
}

// Nested objects would go deeper than JSON readers like: every chain is a flat list of function
// names.
static void json_chains(struct json *json, const struct aggregate *aggregate,
                        const struct chain *chain, const struct chain **path, size_t depth)
{
    u64 onward = 0;
    path[depth] = chain;
    for (size_t i = 0; i < chain->count; i++) {
        onward += chain->callers[i].samples;
        json_chains(json, aggregate, &chain->callers[i], path, depth + 1);
    }
    if (onward == chain->samples || depth == 0)
        return;
    json_open_object(json, NULL);
    json_u64(json, "samples", chain->samples - onward);
    json_open_array(json, "functions");
    for (size_t i = 1; i <= depth; i++)
        json_text(json, NULL, aggregate_text(aggregate, path[i]->text));
    json_close(json);
    json_close(json);
}

static void json_row(struct json *json, const struct aggregate *aggregate,
                     const struct aggregate_row *row)
{
    json_open_object(json, NULL);
    for (u32 i = 0; i < aggregate->sort.count; i++)
        json_text(json, sort_key_name(aggregate->sort.keys[i]),
                  aggregate_text(aggregate, row->texts[i]));
    for (u32 i = 0; i < aggregate->sort.count; i++) {
        if (aggregate->sort.keys[i] == SORT_PROCESS)
            json_u64(json, "pid", row->process);
        if (aggregate->sort.keys[i] == SORT_OBJECT && row->coid != 0) {
            json_hex(json, "coid", row->coid);
            json_u64(json, "coid_pid", row->pid);
        }
    }
    json_u64(json, "samples", row->sum.samples);
    json_u64(json, "soft_masked", row->soft_masked);
    json_number(json, "percent", aggregate_percent(aggregate, row->sum.samples));
    json_u64(json, "events", row->sum.events);
    json_number(json, "events_error", samples_error(row->sum.square));
    if (aggregate->chains) {
        const struct chain *path[SAMPLE_MAX_CALLERS + 2];
        json_open_array(json, "chains");
        json_chains(json, aggregate, &row->chain, path, 0);
        json_close(json);
    }
    json_close(json);
}

void table_json(struct json *json, const struct aggregate *aggregate,
                const struct sampled_event *event, size_t max_rows)
{
    json_open_object(json, NULL);
    event_name_json(json, event);
    json_open_array(json, "sort");
    for (u32 i = 0; i < aggregate->sort.count; i++)
        json_text(json, NULL, sort_key_name(aggregate->sort.keys[i]));
    json_close(json);
    json_open_array(json, "rows");
    for (size_t i = 0; i < shown_rows(aggregate, max_rows); i++)
        json_row(json, aggregate, &aggregate->rows[i]);
    json_close(json);
    json_close(json);
}
