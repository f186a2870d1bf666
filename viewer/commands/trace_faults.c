// SPDX-License-Identifier: MIT
// `kov trace faults`: how long page faults take.
#include "commands/commands.h"
#include "analyses/trace_spans.h"

static struct span_options chosen = {.by_process = true, .only = UINT64_MAX};
static bool by_objects;

static const struct option own_options[] = {
    FLAG(0, "objects", &by_objects, "a row for each Region and FCM"),
    FLAG(0, "histogram", &chosen.histogram, "how many took how long, all rows together"),
    NUMBER('n', "rows", &chosen.most, 1, UINT32_MAX, "ROWS", "at most so many rows (all)"),
    OPTIONS_END,
};

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    chosen.keys = by_objects ? TRACE_FAULTS_BY_OBJECTS : TRACE_FAULTS_BY_RESULT;
    return trace_spans(engine, choice, &trace_faults, &chosen, document);
}

static int run(const struct arguments *arguments)
{
    return trace_tool_run(arguments, "faults", answer, trace_faults_sheets, trace_spans_note);
}

const struct command command_trace_faults = {
    .name = "trace faults",
    .synopsis = TRACE_SOURCE_SYNOPSIS " [--objects] [--histogram] [-n ROWS]",
    .summary = "How often page faults came, and how long they took",
    .details =
        "Of events FAULT and SCHED, by process, access and result: from entry to exit by the\n"
        "clock, also while the thread did not run; ON A CPU is how long it ran in between, with\n"
        "interrupts. An error is any result but done.",
    .options = {trace_source_options, own_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
