// SPDX-License-Identifier: MIT
// `kov trace profile`: where each process spent its time.
#include "commands/commands.h"
#include "analyses/trace_profile.h"

static struct texts programs;
static u64 most;

static const struct option own_options[] = {
    LIST(0, "program", &programs, "PID=NAME",
         "process PID runs the program NAME, for names of its functions; several times"),
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS", "at most so many functions a process (all)"),
    OPTIONS_END,
};

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_profile(engine, choice, &programs, most, document);
}

static int run(const struct arguments *arguments)
{
    return trace_tool_run(arguments, "profile", answer, trace_profile_sheets, trace_profile_note);
}

const struct command command_trace_profile = {
    .name = "trace profile",
    .synopsis = TRACE_SOURCE_SYNOPSIS " [--program PID=NAME] [-n ROWS]",
    .summary = "Where each process spent its time, by the samples in a trace",
    .details =
        "Of events PMU:sample: processes, and within each the functions in which samples lie, of\n"
        "its program and of the kernel for it. They are there when sampling (`kov record`) goes\n"
        "on while PMU is traced. A thread whose process is not known stands for itself.",
    .options = {trace_source_options, own_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
