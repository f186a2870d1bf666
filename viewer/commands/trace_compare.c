// SPDX-License-Identifier: MIT
// `kov trace compare`: what takes longer in the second of two recordings.
#include "analyses/trace_compare.h"
#include "commands/commands.h"
#include "analyses/trace_repeats.h"

static struct compare_options chosen = {.intervals = 10};

static const struct option own_options[] = {
    TEXT(0, "from", &trace_options.from, "TIME",
         "from there on: seconds, or +SECONDS from the beginning of each"),
    TEXT(0, "to", &trace_options.to, "TIME", "up to there, inclusive"),
    NUMBER(0, "intervals", &chosen.intervals, REPEATS_MIN, REPEATS_MAX, "COUNT",
           "into so many intervals each is cut (10)"),
    TEXT(0, "process", &chosen.process, "NAME", "only what this process did or waited for"),
    FLAG(0, "total", &chosen.total,
         "of whole recordings, not of a second: where both are of the same work"),
    NUMBER('n', "rows", &chosen.most, 1, UINT32_MAX, "ROWS", "at most so many rows of each (all)"),
    OPTIONS_END,
};

static int run(const struct arguments *arguments)
{
    int code = trace_choice_check(&trace_options);
    if (code != KOV_OK)
        return code;
    if (arguments->count != 2)
        return fail(KOV_USAGE, "name two recordings: the one before, then the one after");
    json_t *document = json_object();
    const char *paths[2] = {arguments->values[0], arguments->values[1]};
    code = trace_compare(paths, &chosen, document);
    if (code == KOV_OK)
        trace_tool_show(document, trace_compare_sheets, trace_compare_note);
    else
        json_decref(document);
    return code;
}

const struct command command_trace_compare = {
    .name = "trace compare",
    .synopsis = "BEFORE AFTER [--from TIME] [--to TIME] [--intervals COUNT] [--process NAME] "
                "[--total] [-n ROWS]",
    .summary = "What takes longer in the second of two recordings, and what is only chance",
    .details =
        "Of the events of `kov trace breakdown`, LOCK and LOCKHOLD: by process and part of its\n"
        "time, system call, page fault, call between processes, and place where locks are waited\n"
        "for and held. BEFORE and AFTER are folders of traces, or dumps. Each is cut into equal\n"
        "intervals; how far these differ from each other says how much chance does: "
        "± is for 99 %.\n"
        "A change that is not more than its ± is shown as ~. TIME and COUNT are of a second of\n"
        "the recording, EACH is what one takes. A call or a wait counts in the interval in which\n"
        "it ends. Rows are found by names, so the recordings may be of different machines.",
    .options = {own_options},
    .max_arguments = 2,
    .has_csv = true,
    .run = run,
};
