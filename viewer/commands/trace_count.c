// SPDX-License-Identifier: MIT
// `kov trace count`: how long it takes from one event to another.
#include "commands/commands.h"
#include "analyses/trace_count.h"

static struct trace_count_options chosen;

static const struct option own_options[] = {
    TEXT(0, "by", &chosen.by, "FIELD",
         "pair events by this field in place of the CPU; FIELD=FIELD: of A, and of B"),
    NUMBER('n', "rows", &chosen.most, 1, UINT32_MAX, "ROWS", "at most so many rows (all)"),
    OPTIONS_END,
};

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_count(engine, choice, &chosen, document);
}

static int run(const struct arguments *arguments)
{
    struct arguments source = *arguments;
    if (arguments->count == 0)
        return fail(KOV_USAGE, "name two events, A..B");
    chosen.pair = arguments->values[0];
    source.count--;
    source.values++;
    return trace_tool_run(&source, "count", answer, trace_count_sheets, trace_count_note);
}

const struct command command_trace_count = {
    .name = "trace count",
    .synopsis = "A..B " TRACE_SOURCE_SYNOPSIS " [--by FIELD] [-n ROWS]",
    .summary = "How often one event follows another in a trace, and how long that takes",
    .details =
        "An event A and the first B behind it, on the same CPU or with the same value in a field,\n"
        "are a pair; of several A before it the last one. Events are named as for\n"
        "`kov trace show -e`. Pairs between which events may be missing are unsure, and only\n"
        "counted. `kov trace count wake..switch FOLDER --by thread=to`: from wake-up to run.",
    .options = {trace_source_options, own_options},
    .max_arguments = 2,
    .has_csv = true,
    .run = run,
};
