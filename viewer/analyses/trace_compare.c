// SPDX-License-Identifier: MIT
// Joins rows of both recordings by names. Numbers of processes and addresses of locks belong to one
// life of a machine. A change is sure if it is more than its error.
#include "analyses/trace_compare.h"
#include "analyses/event_words.h"
#include "tools/intern.h"
#include "tools/memory.h"
#include "analyses/syscall_name.h"
#include "trace/arrange.h"
#include "analyses/trace_breakdown.h"
#include "analyses/trace_intervals.h"
#include "analyses/trace_needs.h"
#include "analyses/trace_repeats.h"
#include "analyses/trace_spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BEFORE, AFTER, SIDES };
static const char *const side_keys[SIDES] = {"before", "after"};

// How often, how long one takes, how long all of them take.
enum { COUNT, EACH, TIME, VALUES };
static const char *const value_keys[VALUES] = {"count", "each", "time"};

static const char *const table_keys[MEASURED_KINDS] = {
    [MEASURED_PART] = "processes", [MEASURED_SYSCALL] = "syscalls", [MEASURED_FAULT] = "faults",
    [MEASURED_CALL] = "calls",     [MEASURED_WAIT] = "waits",       [MEASURED_HOLD] = "holds",
};

struct compared_row {
    u64 key[KEY_WORDS]; // number of a name, or what is measured; then the rest of what is measured
    u64 *ticks[SIDES], *counts[SIDES];
    struct estimate values[VALUES][SIDES];
    bool any_sure;
};

struct trace_comparison {
    const struct compare_options *options;
    struct trace_intervals sides[SIDES];
    u32 side; // the recording that is measured now
    struct intern texts;
    struct trace_names names;
    struct keyed_rows tables[MEASURED_KINDS];
    bool any[MEASURED_KINDS][SIDES]; // even if nobody asks for it
    struct recorded recorded[SIDES];
    u64 left_out[SIDES]; // packets
};

// ---- names -------------------------------------------------------------------------------------

static u32 process_name(struct trace_comparison *comparison, const struct trace_walk *walk, u64 pid)
{
    json_t *row = json_object();
    trace_tool_put_process(row, walk, pid, 0, false);
    const char *name = json_string_value(json_object_get(row, "name"));
    if (name == NULL)
        name = json_string_value(json_object_get(row, "process"));
    u32 number = intern_text(&comparison->texts, pid == ACTIVITY_NO_PID ? "unknown" : name);
    json_decref(row);
    return number;
}

static u32 chain_name(struct trace_comparison *comparison, const struct trace_walk *walk,
                      const u64 *callers)
{
    json_t *row = json_object();
    trace_tool_put_chain(row, callers,
                         trace_names_kernel(&comparison->names, walk->choice->descriptions));
    u32 number = intern_text(&comparison->texts, json_string_value(json_object_get(row, "chain")));
    json_decref(row);
    return number;
}

static void name_key(struct trace_comparison *comparison, enum trace_measured kind,
                     const u64 *measured, u32 process, const struct trace_walk *walk,
                     u64 key[KEY_WORDS])
{
    memset(key, 0, KEY_WORDS * sizeof(u64));
    if (kind == MEASURED_SYSCALL || kind == MEASURED_FAULT) {
        memcpy(key, measured, MEASURED_KEYS * sizeof(u64));
    } else if (kind == MEASURED_PART) {
        key[0] = process;
        key[1] = measured[0];
    } else if (kind == MEASURED_CALL) {
        key[0] = process_name(comparison, walk, measured[0]);
        key[1] = measured[1];
    } else {
        key[0] = chain_name(comparison, walk, measured);
        key[1] = measured[TRACE_LOCK_CALLERS];
    }
}

// ---- both recordings ---------------------------------------------------------------------------

static u64 *joined(u64 *to, u64 **from, u64 count)
{
    u64 *values = to == NULL ? *from : to;
    for (u64 i = 0; to != NULL && i < count; i++)
        to[i] += (*from)[i];
    if (to == NULL)
        *from = NULL;
    return values;
}

static void take_row(void *context, enum trace_measured kind, struct interval_row *row,
                     const struct trace_walk *walk)
{
    struct trace_comparison *comparison = context;
    const struct compare_options *options = comparison->options;
    u64 key[KEY_WORDS], pid = trace_walk_pid(walk, row->key[MEASURED_KEYS]);
    u32 process = process_name(comparison, walk, pid), side = comparison->side;
    comparison->any[kind][side] = true;
    if (options->process != NULL && process != intern_text(&comparison->texts, options->process))
        return;
    name_key(comparison, kind, row->key, process, walk, key);
    struct compared_row *compared = keyed_rows_get(&comparison->tables[kind], key);
    compared->ticks[side] = joined(compared->ticks[side], &row->ticks, options->intervals);
    compared->counts[side] = joined(compared->counts[side], &row->counts, options->intervals);
}

static int measure(struct trace_comparison *comparison, u32 side, const char *path)
{
    struct engine engine = {0};
    struct trace_choice choice = {0};
    comparison->side = side;
    comparison->sides[side] = (struct trace_intervals){
        .count = (u32)comparison->options->intervals, .row = take_row, .context = comparison};
    struct stat status;
    bool is_dump = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    int code = is_dump ? engine_open_dump(&engine, path) : engine_open_folder(&engine, path);
    if (code == KOV_OK)
        engine_tell_unknown(&engine);
    if (code == KOV_OK)
        code = trace_tool_choose(&engine, &choice);
    if (code == KOV_OK)
        code = trace_intervals_measure(&comparison->sides[side], &engine, &choice);
    comparison->recorded[side] = engine.recorded;
    comparison->left_out[side] = engine.left_out;
    trace_intervals_free(&comparison->sides[side]);
    trace_choice_free(&choice);
    engine_close(&engine);
    return code;
}

// ---- estimates ---------------------------------------------------------------------------------

static struct estimate change_of(const struct compared_row *row, u32 value)
{
    return estimate_change(row->values[value][BEFORE], row->values[value][AFTER]);
}

static void estimate_side(const struct trace_comparison *comparison, struct compared_row *row,
                          u32 side)
{
    const struct trace_intervals *of = &comparison->sides[side];
    u32 count = of->count;
    double hz = (double)of->hz, length = (double)(of->end - of->begin) / count / hz;
    double scale = comparison->options->total ? count : 1 / length;
    if (row->ticks[side] == NULL) {
        row->ticks[side] = memory_get(count * sizeof(u64));
        row->counts[side] = memory_get(count * sizeof(u64));
    }
    row->values[COUNT][side] = repeats_mean(row->counts[side], count, scale);
    row->values[EACH][side] = repeats_ratio(row->ticks[side], row->counts[side], count, 1 / hz);
    row->values[TIME][side] = repeats_mean(row->ticks[side], count, scale / hz);
}

static int compare(const void *one, const void *other)
{
    const struct compared_row *a = *(void *const *)one, *b = *(void *const *)other;
    double by[] = {fabs(change_of(a, TIME).value), fabs(change_of(b, TIME).value)};
    if (a->any_sure != b->any_sure)
        return a->any_sure ? -1 : 1;
    if (!a->any_sure)
        for (u32 i = 0; i < 2; i++)
            by[i] = (i == 0 ? a : b)->values[TIME][BEFORE].value +
                    (i == 0 ? a : b)->values[TIME][AFTER].value;
    if (by[0] != by[1])
        return by[0] > by[1] ? -1 : 1;
    return memcmp(a->key, b->key, sizeof(a->key));
}

// ---- the answer --------------------------------------------------------------------------------

static void put_one(json_t *row, const char *value, const char *what, double number)
{
    char key[64];
    snprintf(key, sizeof(key), "%s_%s", value, what);
    put_number(row, key, number);
}

static void put_value(json_t *json, const struct compared_row *row, u32 value)
{
    const char *key = value_keys[value];
    struct estimate before = row->values[value][BEFORE], change = change_of(row, value);
    char sure[64];
    for (u32 side = 0; side < SIDES; side++) {
        char error[32];
        snprintf(error, sizeof(error), "%s_error", side_keys[side]);
        put_one(json, key, side_keys[side], row->values[value][side].value);
        put_one(json, key, error, row->values[value][side].error);
    }
    put_one(json, key, "change", change.value);
    put_one(json, key, "change_error", change.error);
    put_one(json, key, "percent", 100 * change.value / before.value);
    put_one(json, key, "percent_error", 100 * change.error / before.value);
    snprintf(sure, sizeof(sure), "%s_sure", key);
    put_bool(json, sure, !estimate_is_chance(change));
}

static void put_key(json_t *json, const struct trace_comparison *comparison,
                    enum trace_measured kind, const u64 *key)
{
    if (kind == MEASURED_SYSCALL || kind == MEASURED_FAULT) {
        (kind == MEASURED_SYSCALL ? trace_syscalls : trace_faults).put(json, NULL, key);
        return;
    }
    const char *text = comparison->texts.texts[key[0]];
    bool lock = kind == MEASURED_WAIT || kind == MEASURED_HOLD;
    put_text(json, lock ? "chain" : kind == MEASURED_PART ? "process" : "server", text);
    if (kind == MEASURED_PART)
        put_text(json, "part", trace_breakdown_part(key[1]));
    else if (kind == MEASURED_CALL)
        event_words_put_method(json, key[1]);
    else
        put_text(json, "kind", key[1] != 0 ? "sleep" : "spin");
}

// Returns what was recorded on both sides: only that can be compared.
static struct recorded recorded_by_both(const struct trace_comparison *comparison)
{
    struct recorded both = comparison->recorded[BEFORE];
    const struct recorded *other = &comparison->recorded[AFTER];
    both.ever &= other->ever;
    both.always &= other->always;
    both.undescribed |= other->undescribed;
    both.told &= other->told;
    both.reasons &= other->reasons;
    return both;
}

static bool is_known(enum trace_measured kind, const u64 *key, const struct recorded *recorded)
{
    return kind != MEASURED_PART ||
           trace_needs_known("breakdown", "processes", trace_breakdown_part(key[1]), recorded);
}

static void put_table(struct trace_comparison *comparison, enum trace_measured kind,
                      json_t *document)
{
    struct keyed_rows *rows = &comparison->tables[kind];
    u32 first = kind == MEASURED_PART ? TIME : COUNT;
    u64 most = comparison->options->most;
    const struct recorded both = recorded_by_both(comparison);
    for (size_t i = 0; i < rows->count; i++) {
        struct compared_row *row = rows->rows[i];
        for (u32 side = 0; side < SIDES; side++)
            estimate_side(comparison, row, side);
        for (u32 value = first; value < VALUES; value++)
            row->any_sure |= !estimate_is_chance(change_of(row, value));
    }
    if (rows->count > 1)
        qsort(rows->rows, rows->count, sizeof(void *), compare);
    json_t *array = put_array(document, table_keys[kind]);
    for (size_t i = 0; i < rows->count && (most == 0 || json_array_size(array) < most); i++) {
        const struct compared_row *row = rows->rows[i];
        if (!is_known(kind, row->key, &both))
            continue;
        json_t *json = put_object(array, NULL);
        put_key(json, comparison, kind, row->key);
        for (u32 value = first; value < VALUES; value++)
            put_value(json, row, value);
    }
}

// Puts a table for which one recording has nothing, perhaps because its events were off.
static bool put_missing(const struct trace_comparison *comparison, enum trace_measured kind,
                        json_t *rows)
{
    const bool *any = comparison->any[kind];
    if (any[BEFORE] == any[AFTER])
        return false;
    json_t *row = put_object(rows, NULL);
    put_text(row, "table", table_keys[kind]);
    put_text(row, "nothing", side_keys[any[BEFORE] ? AFTER : BEFORE]);
    return true;
}

static void put_answer(struct trace_comparison *comparison, json_t *document)
{
    const struct trace_intervals *sides = comparison->sides;
    json_t *missing = put_array(document, "not_compared");
    for (u32 kind = 0; kind < MEASURED_KINDS; kind++)
        if (put_missing(comparison, kind, missing))
            put_array(document, table_keys[kind]);
        else
            put_table(comparison, kind, document);
    for (u32 side = 0; side < SIDES; side++) {
        json_t *json = put_object(document, side_keys[side]);
        put_u64(json, "hz", sides[side].hz);
        put_u64(json, "from_ticks", sides[side].begin);
        put_u64(json, "to_ticks", sides[side].end);
        put_u64(json, "lost_packets", sides[side].lost_packets);
        put_u64(json, "discarded", sides[side].discarded);
        put_u64(json, "left_out_packets", comparison->left_out[side]);
        put_number(json, "seconds",
                   (double)(sides[side].end - sides[side].begin) / (double)sides[side].hz);
    }
    put_u64(document, "intervals", comparison->options->intervals);
    put_bool(document, "total", comparison->options->total);
    put_u64(document, "lost_packets", sides[BEFORE].lost_packets + sides[AFTER].lost_packets);
    put_u64(document, "discarded", sides[BEFORE].discarded + sides[AFTER].discarded);
    put_u64(document, "left_out_packets",
            comparison->left_out[BEFORE] + comparison->left_out[AFTER]);
    const struct recorded both = recorded_by_both(comparison);
    trace_needs_apply(document, "compare", &both);
}

static void free_tables(struct trace_comparison *comparison)
{
    for (u32 kind = 0; kind < MEASURED_KINDS; kind++) {
        struct keyed_rows *rows = &comparison->tables[kind];
        for (size_t i = 0; i < rows->count; i++)
            for (u32 side = 0; side < SIDES; side++) {
                free(((struct compared_row *)rows->rows[i])->ticks[side]);
                free(((struct compared_row *)rows->rows[i])->counts[side]);
            }
        keyed_rows_free(rows);
    }
}

int trace_compare(const char *const paths[2], const struct compare_options *options,
                  json_t *document)
{
    struct trace_comparison comparison = {.options = options};
    int code = KOV_OK;
    for (u32 kind = 0; kind < MEASURED_KINDS; kind++)
        comparison.tables[kind].row_bytes = sizeof(struct compared_row);
    for (u32 side = 0; code == KOV_OK && side < SIDES; side++)
        code = measure(&comparison, side, paths[side]);
    if (code == KOV_OK)
        put_answer(&comparison, document);
    free_tables(&comparison);
    intern_free(&comparison.texts);
    trace_names_free(&comparison.names);
    return code;
}

// ---- for people --------------------------------------------------------------------------------

static void change_cell(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const char *value = value_keys[column->index];
    char sure[32], percent[32], error[32];
    snprintf(sure, sizeof(sure), "%s_sure", value);
    snprintf(percent, sizeof(percent), "%s_percent", value);
    snprintf(error, sizeof(error), "%s_percent_error", value);
    const json_t *change = json_object_get(row, percent);
    if (!json_is_true(json_object_get(row, sure)))
        strcpy(text, "~");
    else if (!json_is_number(change))
        strcpy(text, "new");
    else
        snprintf(text, CELL_BYTES, "%+.1f %% ± %.1f", json_number_value(change),
                 json_number_value(json_object_get(row, error)));
}

#define ERRORS(key_)                                                                               \
    HIDDEN(key_ "_before_error"), HIDDEN(key_ "_after_error"), HIDDEN(key_ "_change"),             \
        HIDDEN(key_ "_change_error"), HIDDEN(key_ "_percent_error"), HIDDEN(key_ "_sure")
#define CHANGE(value_, key_)                                                                       \
    COLUMN("CHANGE", key_ "_percent", 17, .compose = change_cell, .index = value_)
#define TIMES(heading_, value_, key_)                                                              \
    TIME_COLUMN(heading_, key_ "_before"), TIME_COLUMN("AFTER", key_ "_after"), CHANGE(value_, key_)
#define ALL_VALUES                                                                                 \
    TIMES("TIME", TIME, "time"), COLUMN("COUNT", "count_before", 10, .decimals = 1),               \
        COLUMN("AFTER", "count_after", 10, .decimals = 1), CHANGE(COUNT, "count"),                 \
        TIMES("EACH", EACH, "each"), ERRORS("time"), ERRORS("count"), ERRORS("each"), COLUMNS_END

static const struct column process_columns[] = {
    COLUMN("PROCESS", "process", -11),
    COLUMN("PART", "part", -9),
    TIMES("TIME", TIME, "time"),
    ERRORS("time"),
    COLUMNS_END,
};
static const struct column call_columns[] = {
    COLUMN("CALL", "call", -22),
    HIDDEN("number"),
    ALL_VALUES,
};
static const struct column fault_columns[] = {
    COLUMN("ACCESS", "access", -7),
    COLUMN("RESULT", "result", -11),
    ALL_VALUES,
};
static const struct column server_columns[] = {
    COLUMN("SERVER", "server", -11),
    COLUMN("METHOD", "method_name", -14),
    HIDDEN("method"),
    ALL_VALUES,
};
static const struct column wait_columns[] = {
    COLUMN("WAITED IN", "chain", -40),
    ALL_VALUES,
};
static const struct column hold_columns[] = {
    COLUMN("HELD IN", "chain", -40),
    COLUMN("KIND", "kind", -5),
    ALL_VALUES,
};
const struct sheet trace_compare_sheets[] = {
    {"processes", process_columns},
    {"syscalls", call_columns},
    {"faults", fault_columns},
    {"calls", server_columns},
    {"waits", wait_columns},
    {"holds", hold_columns},
    {NULL, NULL},
};

void trace_compare_note(const json_t *document)
{
    const json_t *missing = json_object_get(document, "not_compared");
    for (size_t i = 0; i < json_array_size(missing); i++) {
        const json_t *row = json_array_get(missing, i);
        bool before =
            strcmp(json_string_value(json_object_get(row, "nothing")), side_keys[BEFORE]) == 0;
        printf("%s: not compared, the %s recording tells of none\n",
               json_string_value(json_object_get(row, "table")), before ? "first" : "second");
    }
    printf("%s; ± by %" JSON_INTEGER_FORMAT " intervals of each; ~: no more than chance (99 %%)\n",
           json_is_true(json_object_get(document, "total")) ? "of a whole recording"
                                                            : "of a second of each recording",
           json_integer_value(json_object_get(document, "intervals")));
}
