// SPDX-License-Identifier: MIT
// `kov trace idle`: when CPUs had nothing to do.
#include "commands/commands.h"
#include "analyses/trace_idle.h"

static int run(const struct arguments *arguments)
{
    if (trace_options.pid != TRACE_ANY)
        return fail(KOV_USAGE, "--pid is not for idle CPUs: nobody runs");
    return trace_tool_run(arguments, "idle", trace_idle, trace_idle_sheets, NULL);
}

const struct command command_trace_idle = {
    .name = "trace idle",
    .synopsis = "FOLDER|--dump FILE [--from TIME] [--to TIME] [--cpu CPU]",
    .summary = "When CPUs had nothing to do, and what ended that",
    .details =
        "Intervals from when the idle thread waits until the first event on its CPU: that is what\n"
        "ended it, an interrupt, a timer, or a wake-up or switch. HANDLING is what the CPU did\n"
        "then before it waited again. With SCHED alone an interrupt does not show, and an\n"
        "interval goes on; with EXC each one ends it.",
    .options = {trace_source_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
