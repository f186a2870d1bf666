// SPDX-License-Identifier: MIT
// `kov trace show`: every event as a line.
#include "commands/commands.h"
#include "tools/interrupt.h"
#include "trace/arrange.h"
#include "analyses/trace_show.h"
#include "analyses/trace_tool.h"
#include "wire/session.h"

static u64 most = TRACE_ANY;
static bool activity;

static const struct option show_options[] = {
    TEXT('e', "events", &trace_options.events, "LIST",
         "only these majors or events: numbers or names"),
    LIST(0, "where", &trace_options.where, "CONDITION",
         "only events of which 'FIELD OP NUMBER' holds, OP one of = != < <= > >=; several: all"),
    NUMBER('n', "count", &most, 1, UINT64_MAX - 1, "N", "at most so many events"),
    FLAG(0, "activity", &activity, "what each CPU did, interval by interval, in place of events"),
    OPTIONS_END,
};

static int show(struct engine *engine)
{
    struct trace_choice choice = {0};
    u64 begin, end;
    engine_range(engine, &begin, &end);
    int code = trace_choice_decide(&choice, &trace_options, &engine->descriptions, begin);
    if (code == KOV_OK && activity) {
        code = trace_show_activity(engine, &choice, most);
    } else if (code == KOV_OK) {
        code = trace_show(engine, &choice, most);
    }
    trace_choice_free(&choice);
    return code;
}

static int run(const struct arguments *arguments)
{
    struct engine engine = {0};
    int code = trace_choice_check(&trace_options);
    if (code != KOV_OK)
        return code;
    if (activity && (trace_options.events != NULL || trace_options.where.count > 0))
        return fail(KOV_USAGE, "--activity is of all events: no --events and --where");
    if (activity && arguments->count == 0 && trace_dump == NULL)
        return fail(KOV_USAGE, "--activity is for a folder or a dump");
    if (arguments->count == 0 && trace_dump == NULL) {
        if (trace_options.from != NULL || trace_options.to != NULL)
            return fail(KOV_USAGE, "--from and --to are for a folder or a dump");
        interrupt_catch();
        code = session_begin(true);
        return code == KOV_OK ? trace_follow(&trace_options, most) : code;
    }
    code = trace_source_open(&engine, arguments);
    if (code == KOV_OK) {
        engine_tell_unknown(&engine);
        code = show(&engine);
    }
    engine_close(&engine);
    return code;
}

const struct command command_trace_show = {
    .name = "trace show",
    .synopsis = "[FOLDER|--dump FILE] [--from TIME] [--to TIME] [--cpu CPU] [--pid PID] [-e LIST] "
                "[--where CONDITION] [-n N] [--activity]",
    .summary = "Show every event of a trace as a line",
    .details =
        "The time in seconds, the CPU, the process that it was for, the event, and what it says.\n"
        "An event of the kernel was for the process whose thread ran, even in an interrupt; this\n"
        "needs SCHED. --pid shows what `trace breakdown` counts for the process. Numbers are\n"
        "shown by name; --json has both.\n"
        "Without a folder or a dump it follows the running machine, until Ctrl-C: what is traced\n"
        "anyway (`kov trace set`), or with -e these majors meanwhile.\n"
        "Where events are missing, a line `lost` says how much and until when.",
    .options = {trace_source_options, show_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
