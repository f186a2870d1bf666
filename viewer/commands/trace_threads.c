// SPDX-License-Identifier: MIT
// `kov trace threads`: a picture of threads over time.
#include "commands/commands.h"
#include "analyses/thread_strips.h"
#include "analyses/trace_threads.h"

static struct trace_threads_options chosen = {.cells = 72};

static const struct option own_options[] = {
    NUMBER('w', "width", &chosen.cells, 1, STRIP_CELLS_MAX, "CELLS", "so wide (72)"),
    NUMBER('n', "rows", &chosen.most, 1, UINT32_MAX, "THREADS", "at most so many threads (all)"),
    TEXT(0, "meter", &chosen.meter, "A,B", "mark these times, and tell the time between them"),
    FLAG(0, "summary", &chosen.summary, "how long turns and waits were, in place of the picture"),
    FLAG(0, "ascii", &chosen.ascii, "'#' for runs, '-' for ready, '~' for many changes"),
    OPTIONS_END,
};

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_threads(engine, choice, &chosen, document);
}

static int run(const struct arguments *arguments)
{
    return trace_tool_run(arguments, "threads", answer,
                          chosen.summary ? trace_threads_summary_sheets : trace_threads_sheets,
                          chosen.summary ? NULL : thread_strips_note);
}

const struct command command_trace_threads = {
    .name = "trace threads",
    .synopsis = TRACE_SOURCE_SYNOPSIS " [-w CELLS] [-n THREADS] [--meter A,B] [--summary]",
    .summary = "A picture of threads over time: who runs, is ready, or waits for what",
    .details =
        "Of events SCHED. A row a thread, who ran longest first; "
        "a cell shows what it did for most\n"
        "of that time: █ runs, ░ ready, a letter: waits (c for calls, r behind an answer, "
        "a for an\n"
        "answer, e event, m message, l lock, p page, t time, o other, b not told); "
        "≈ more than two\n"
        "changes, ? not known, for instance as events are missing. Idle threads are left out.",
    .options = {trace_source_options, own_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
