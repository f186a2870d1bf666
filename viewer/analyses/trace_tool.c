// SPDX-License-Identifier: MIT
// What tools that answer from a trace share.
#include "analyses/trace_tool.h"

#include "symbols/place.h"
#include "trace/arrange.h"
#include "analyses/trace_needs.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define CHAIN_BYTES (TRACE_LOCK_CALLERS * 200)
#define BAR_WIDTH 40

struct trace_options trace_options = {.cpu = TRACE_ANY, .pid = TRACE_ANY};
const char *trace_dump;

const struct option trace_source_options[] = {
    TEXT(0, "dump", &trace_dump, "FILE", "of a dump of the machine's memory, in place of a folder"),
    TEXT(0, "from", &trace_options.from, "TIME",
         "from there on: seconds, or +SECONDS from the beginning"),
    TEXT(0, "to", &trace_options.to, "TIME", "up to there, inclusive"),
    NUMBER(0, "cpu", &trace_options.cpu, 0, ORRERY_MAX_CPUS - 1, "CPU", "only this CPU"),
    NUMBER(0, "pid", &trace_options.pid, 0, UINT32_MAX, "PID", "only this process; 0: the kernel"),
    OPTIONS_END,
};

int trace_source_open(struct engine *engine, const struct arguments *arguments)
{
    if (arguments->count == 1 && trace_dump != NULL)
        return fail(KOV_USAGE, "name either the folder of a trace or a dump");
    if (arguments->count == 0 && trace_dump == NULL)
        return fail(KOV_USAGE, "name the folder of a trace, or a dump with --dump");
    return trace_dump != NULL ? engine_open_dump(engine, trace_dump)
                              : engine_open_folder(engine, arguments->values[0]);
}

// ---- showing -----------------------------------------------------------------------------------

static void print_losses(const json_t *document)
{
    json_int_t packets = json_integer_value(json_object_get(document, "lost_packets"));
    json_int_t events = json_integer_value(json_object_get(document, "discarded"));
    if (packets != 0 || events != 0)
        printf("missing in this trace: %" JSON_INTEGER_FORMAT " packets, %" JSON_INTEGER_FORMAT
               " events that were discarded\n",
               packets, events);
    json_int_t left_out = json_integer_value(json_object_get(document, "left_out_packets"));
    if (left_out != 0)
        printf("damaged and left out: %" JSON_INTEGER_FORMAT " packets\n", left_out);
}

void trace_tool_show(json_t *document, const struct sheet *sheets,
                     void (*note)(const json_t *document))
{
    if (!document_for_programs(document, sheets)) {
        for (size_t i = 0; sheets[i].key != NULL; i++) {
            const json_t *rows = json_object_get(document, sheets[i].key);
            if (i > 0 && json_array_size(rows) == 0)
                continue;
            fputs(i > 0 ? "\n" : "", stdout);
            columns_print(sheets[i].columns, rows, "");
        }
        if (note != NULL && !json_is_null(json_object_get(document, sheets[0].key)))
            note(document);
        print_losses(document);
    }
    trace_needs_tell(document, false);
    json_decref(document);
}

int trace_tool_choose(const struct engine *engine, struct trace_choice *choice)
{
    u64 begin = 0, end;
    engine_range(engine, &begin, &end);
    return trace_choice_decide(choice, &trace_options, &engine->descriptions, begin);
}

int trace_tool_run(const struct arguments *arguments, const char *name, trace_tool *tool,
                   const struct sheet *sheets, void (*note)(const json_t *document))
{
    struct engine engine = {0};
    struct trace_choice choice = {0};
    int code = trace_choice_check(&trace_options);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    code = trace_source_open(&engine, arguments);
    if (code == KOV_OK)
        code = trace_tool_choose(&engine, &choice);
    if (code == KOV_OK && name != NULL)
        engine_tell_unknown(&engine);
    if (code == KOV_OK)
        code = tool(&engine, &choice, document);
    if (code == KOV_OK) {
        if (name != NULL)
            trace_needs_apply(document, name, &engine.recorded);
        trace_tool_show(document, sheets, note);
    } else {
        json_decref(document);
    }
    trace_choice_free(&choice);
    engine_close(&engine);
    return code;
}

// ---- rows --------------------------------------------------------------------------------------

void trace_tool_put_walk(json_t *document, const struct trace_walk *walk)
{
    put_u64(document, "hz", walk->hz);
    put_u64(document, "from_ticks", walk->begin);
    put_u64(document, "to_ticks", walk->end);
    put_u64(document, "lost_packets", walk->lost_packets);
    put_u64(document, "discarded", walk->discarded);
    put_u64(document, "left_out_packets", walk->left_out);
    json_t *left_out = put_array(document, "left_out");
    for (u32 i = 0; i < walk->model.machine.left_out_count; i++) {
        u64 pid = walk->model.machine.left_out[i];
        trace_tool_put_process(put_object(left_out, NULL), walk, pid, 0, false);
    }
}

void trace_tool_put_pid(json_t *row, u64 pid)
{
    if (pid == ACTIVITY_NO_PID)
        put_text(row, "pid", NULL);
    else
        put_u64(row, "pid", pid);
}

void trace_tool_put_process(json_t *row, const struct trace_walk *walk, u64 pid, u64 thread,
                            bool idle)
{
    char text[TRACE_TEXT_BYTES + 32];
    bool known = pid != ACTIVITY_NO_PID;
    const char *name = known && pid != 0 ? labels_find(&walk->labels, LABEL_PROCESS, pid) : NULL;
    if (name != NULL)
        snprintf(text, sizeof(text), "%s:%" PRIu64, name, pid);
    else
        snprintf(text, sizeof(text), known ? "process %" PRIu64 : "thread %" PRIu64,
                 known ? pid : thread);
    put_text(row, "name", name);
    const char *of_thread = labels_find(&walk->labels, LABEL_THREAD, thread);
    put_text(row, "process",
             idle                                     ? "[idle]"
             : pid == 0                               ? "kernel"
             : !known && thread == ACTIVITY_NO_THREAD ? NULL
             : known || of_thread == NULL             ? text
                                                      : of_thread);
    trace_tool_put_pid(row, pid);
}

void trace_tool_put_time(json_t *row, const char *key, double ticks, u64 hz)
{
    char name[64];
    snprintf(name, sizeof(name), "%s_ticks", key);
    put_number(row, key, ticks / (double)hz);
    put_u64(row, name, (u64)llround(ticks));
}

static void put_no_time(json_t *row, const char *key)
{
    char name[64];
    snprintf(name, sizeof(name), "%s_ticks", key);
    put_text(row, key, NULL);
    put_text(row, name, NULL);
}

void trace_tool_put_spread(json_t *row, const struct histogram *ticks, u64 hz)
{
    const struct {
        const char *key;
        double ticks;
    } spread[] = {
        {"min", (double)ticks->min},
        {"mean", histogram_mean(ticks)},
        {"p50", (double)histogram_percentile(ticks, 50)},
        {"p99", (double)histogram_percentile(ticks, 99)},
        {"max", (double)ticks->max},
    };
    for (size_t i = 0; i < ARRAY_SIZE(spread); i++)
        if (ticks->count == 0)
            put_no_time(row, spread[i].key);
        else
            trace_tool_put_time(row, spread[i].key, spread[i].ticks, hz);
}

static u64 in_bucket(const struct histogram *ticks, u32 bit)
{
    return histogram_between(ticks, bit == 0 ? 0 : 1UL << bit, 2UL << bit);
}

void trace_tool_put_buckets(json_t *document, const char *key, const struct histogram *ticks,
                            u64 hz)
{
    u64 most = 0;
    json_t *rows = put_array(document, key);
    for (u32 bit = 0; ticks->count > 0 && bit < 63; bit++)
        most = in_bucket(ticks, bit) > most ? in_bucket(ticks, bit) : most;
    for (u32 bit = 0; ticks->count > 0 && bit < 63; bit++) {
        if (2UL << bit <= ticks->min || 1UL << bit > ticks->max)
            continue;
        u64 count = in_bucket(ticks, bit);
        json_t *row = put_object(rows, NULL);
        trace_tool_put_time(row, "from", (double)(1UL << bit), hz);
        trace_tool_put_time(row, "below", (double)(2UL << bit), hz);
        put_u64(row, "count", count);
        put_number(row, "of_most", most == 0 ? 0 : (double)count / (double)most);
    }
}

static void bar(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    double part = json_number_value(json_object_get(row, column->key));
    int width = (int)(part * BAR_WIDTH + 0.5);
    memset(text, '#', (size_t)width);
    text[width] = '\0';
}

const struct column trace_bucket_columns[] = {
    TIME_COLUMN("FROM", "from"),
    TIME_COLUMN("BELOW", "below"),
    COLUMN("COUNT", "count", 8),
    HIDDEN("from_ticks"),
    COLUMN("", "of_most", -1, .compose = bar),
    COLUMNS_END,
};

void trace_time_cell(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *value = json_object_get(row, column->key);
    double seconds = json_number_value(value);
    if (!json_is_number(value))
        strcpy(text, CELL_UNKNOWN);
    else if (seconds == 0)
        strcpy(text, "0");
    else if (seconds < 1e-3)
        snprintf(text, CELL_BYTES, "%.3f us", 1e6 * seconds);
    else
        snprintf(text, CELL_BYTES, seconds < 1 ? "%.3f ms" : "%.3f s",
                 seconds < 1 ? 1e3 * seconds : seconds);
}

void trace_tool_put_chain(json_t *row, const u64 callers[TRACE_LOCK_CALLERS],
                          struct symbols *symbols)
{
    char chain[CHAIN_BYTES] = "", name[CHAIN_BYTES / TRACE_LOCK_CALLERS - 4];
    json_t *addresses = put_array(row, "callers");
    for (u32 i = 0; i < TRACE_LOCK_CALLERS && callers[i] != 0; i++) {
        place_function(symbols_find_call(symbols, callers[i]), callers[i], name, sizeof(name));
        put_hex(addresses, NULL, callers[i]);
        strcat(chain, i > 0 ? " < " : "");
        strcat(chain, name);
    }
    put_text(row, "chain", chain);
}

// ---- names -------------------------------------------------------------------------------------

struct symbols *trace_names_kernel(struct trace_names *names,
                                   const struct descriptions *descriptions)
{
    kernel_use_build_id(&names->kernel, descriptions->build_id, descriptions->build_id_bytes);
    if (!names->tried)
        names->symbols = kernel_symbols(&names->kernel);
    names->tried = true;
    return names->symbols;
}

void trace_names_by_labels(struct trace_names *names, const struct labels *labels)
{
    struct snapshot *snapshot = &names->snapshot;
    const struct keyed_rows *processes = &labels->kinds[LABEL_PROCESS];
    for (size_t i = 0; i < processes->count; i++) {
        struct label *label = processes->rows[i];
        struct process_info info = {.pid = (u32)label->key[0], .name = label->name};
        if (snapshot_process(snapshot, info.pid) == NULL)
            snapshot_add_process(snapshot, &info);
    }
}

void trace_names_free(struct trace_names *names)
{
    kernel_close(&names->kernel);
    programs_close(&names->programs);
    snapshot_free(&names->snapshot);
}
