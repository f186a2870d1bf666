// SPDX-License-Identifier: MIT
// `kov trace sched`: how long threads ran and waited.
#include "commands/commands.h"
#include "analyses/trace_sched.h"

static u64 most;

static const struct option own_options[] = {
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS", "at most so many rows of each table (all)"),
    OPTIONS_END,
};

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_sched(engine, choice, most, document);
}

static int run(const struct arguments *arguments)
{
    return trace_tool_run(arguments, "sched", answer, trace_sched_sheets, trace_sched_note);
}

const struct command command_trace_sched = {
    .name = "trace sched",
    .synopsis = TRACE_SOURCE_SYNOPSIS " [-n ROWS]",
    .summary = "How often and how long each thread ran, was ready, and was blocked",
    .details =
        "Of events SCHED, and how long it took from a wake-up until the thread ran. Then for what\n"
        "each thread waited and how long (preempted and yield: "
        "ready all the time), and who woke it,\n"
        "for what, and how long it took until it ran; 0: an interrupt woke it. In traces without\n"
        "reasons events EXC tell preemption from going to sleep. "
        "Time of which the events do not tell what a\n"
        "thread did, or where they are missing, is UNKNOWN; the four are all of a thread's time.",
    .options = {trace_source_options, own_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
