// SPDX-License-Identifier: MIT
// `kov trace waits`: who waits for whom, and deadlocks.
#include "commands/commands.h"
#include "analyses/trace_waits.h"

static const char *at;

static const struct option own_options[] = {
    TEXT(0, "at", &at, "TIME", "at that time, as for --to (the end of the trace)"),
    OPTIONS_END,
};

static int run(const struct arguments *arguments)
{
    if (at != NULL && trace_options.to != NULL)
        return fail(KOV_USAGE, "--at and --to are the same: give one");
    if (at != NULL)
        trace_options.to = at;
    return trace_tool_run(arguments, "waits", trace_waits, trace_waits_sheets, trace_waits_note);
}

const struct command command_trace_waits = {
    .name = "trace waits",
    .synopsis = TRACE_SOURCE_SYNOPSIS " [--at TIME]",
    .summary = "Who waits for whom at a time of a trace, and deadlocks",
    .details =
        "Of events IPC and SCHED: each call without an answer, who waits in it, "
        "and which thread of\n"
        "its server has taken it. Of events LOCKHOLD: who waits for a lock, and who has it. "
        "Behind\n"
        "each wait stands what that one waits for. Of events STATE, and of a dump: which threads\n"
        "of programs wait in calls, for mutexes, for semaphores, for conditions or for a thread's\n"
        "end (join), and which work on calls. Threads that wait for each other in a circle are\n"
        "named as a deadlock, below, as PROCESS.THREAD. WAITED is `-` if the wait began before\n"
        "the recording.",
    .options = {trace_source_options, own_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
