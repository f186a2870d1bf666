// SPDX-License-Identifier: MIT
// `kov workload …`: lists, runs, starts and stops the guest's own programs, and asks after them.
#include "commands/commands.h"
#include "machine/workload.h"
#include "output/columns.h"
#include "tools/interrupt.h"
#include "tools/options.h"
#include "tools/text.h"
#include "wire/dci.h"
#include "wire/session.h"

#include <inttypes.h>

static double duration;

static const struct option run_options[] = {
    SECONDS('d', "duration", &duration, 86400, "stop it after so long"),
    OPTIONS_END,
};

static const struct column columns[] = {
    COLUMN("NAME", "name", -16),
    COLUMN("PARAMETERS", "help", -1),
    COLUMNS_END,
};
static const struct column run_columns[] = {
    COLUMN("ID", "id", 5),
    COLUMN("STATE", "running", -7, .yes = "running", .no = "ended"),
    COLUMN("STARTED AS", "command", -1),
    HIDDEN("error"),
    HIDDEN("began"),
    HIDDEN("ended"),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"workloads", columns}, {"runs", run_columns}, {NULL, NULL}};

static int run_list(const struct arguments *arguments)
{
    (void)arguments;
    int code = session_begin(true);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    code = workloads_fetch(put_array(document, "workloads"));
    if (code == KOV_OK)
        code = workload_runs_fetch(put_array(document, "runs"));
    if (code != KOV_OK)
        json_object_clear(document);
    document_show(document, sheets);
    return code;
}

static void show(const struct workload_result *result)
{
    json_t *document = json_object();
    workload_json(document, "workload", result);
    if (!document_for_programs(document, NULL))
        workload_print(stdout, result);
    json_decref(document);
}

// Takes the arguments as a workload, since `kov workload run NAME …` needs no "--".
static struct arguments as_workload(const struct arguments *arguments)
{
    struct arguments result = *arguments;
    if (!arguments->has_workload) {
        result.workload = arguments->values;
        result.workload_count = arguments->count;
    }
    result.has_workload = result.workload_count > 0;
    return result;
}

static int begin(const struct arguments *arguments, u64 *id)
{
    struct arguments workload = as_workload(arguments);
    if (!workload.has_workload)
        return fail(KOV_USAGE, "the name of a workload is missing: see `kov workload list`");
    int code = session_begin(true);
    return code == KOV_OK ? workload_start(&workload, id) : code;
}

static int run_start(const struct arguments *arguments)
{
    u64 id;
    int code = begin(arguments, &id);
    if (code != KOV_OK)
        return code;
    struct workload_result result = {.id = id, .running = true};
    show(&result);
    return KOV_OK;
}

static int run_run(const struct arguments *arguments)
{
    u64 id;
    struct workload_result result = {0};
    interrupt_catch();
    int code = begin(arguments, &id);
    if (code == KOV_OK)
        code = workload_wait(id, duration, &result);
    if (code == KOV_OK) {
        show(&result);
        code = workload_verdict(&result);
    }
    workload_free(&result);
    return code;
}

static int parse_id(const struct arguments *arguments, u64 *id)
{
    if (arguments->count == 1 && text_to_u64(arguments->values[0], 1, UINT64_MAX, id))
        return KOV_OK;
    return fail(KOV_USAGE, "the number of a workload is needed, as `kov workload start` tells it");
}

static int run_stop(const struct arguments *arguments)
{
    u64 id;
    struct workload_result result = {0};
    int code = parse_id(arguments, &id);
    if (code == KOV_OK)
        code = session_begin(true);
    if (code == KOV_OK)
        code = workload_stop(id);
    if (code == KOV_OK)
        code = workload_wait(id, 0, &result);
    if (code == KOV_OK)
        show(&result);
    workload_free(&result);
    return code;
}

static int run_status(const struct arguments *arguments)
{
    u64 id;
    struct workload_result result = {0};
    int code = parse_id(arguments, &id);
    if (code == KOV_OK)
        code = session_begin(true);
    if (code == KOV_OK)
        code = workload_status(id, &result);
    if (code == KOV_OK)
        show(&result);
    workload_free(&result);
    return code;
}

#define MAX_WORDS 32

const struct command command_workload_list = {
    .name = "workload list",
    .synopsis = "",
    .summary = "List the workloads with their parameters",
    .has_csv = true,
    .run = run_list,
};

const struct command command_workload_run = {
    .name = "workload run",
    .synopsis = "[-d SECONDS] NAME [KEY=VALUE…]",
    .summary = "Run a workload to its end and print its account",
    .details = "Ctrl-C stops the workload.",
    .options = {run_options},
    .max_arguments = MAX_WORDS,
    .takes_workload = true,
    .run = run_run,
};

const struct command command_workload_start = {
    .name = "workload start",
    .synopsis = "NAME [KEY=VALUE…]",
    .summary = "Start a workload and print its number",
    .max_arguments = MAX_WORDS,
    .takes_workload = true,
    .run = run_start,
};

const struct command command_workload_status = {
    .name = "workload status",
    .synopsis = "NUMBER",
    .summary = "Show whether a workload runs, and its account",
    .max_arguments = 1,
    .run = run_status,
};

const struct command command_workload_stop = {
    .name = "workload stop",
    .synopsis = "NUMBER",
    .summary = "Stop a workload and print its account",
    .max_arguments = 1,
    .run = run_stop,
};
