// SPDX-License-Identifier: MIT
// `kov trace syscalls`: how long system calls take.
#include "commands/commands.h"
#include "analyses/syscall_name.h"
#include "analyses/trace_spans.h"

#include <string.h>

static struct span_options chosen = {.keys = 1, .only = UINT64_MAX};
static const char *call;

static const struct option own_options[] = {
    TEXT(0, "call", &call, "NAME", "only this call; shows its histogram"),
    FLAG(0, "processes", &chosen.by_process, "a row for each process that makes a call"),
    FLAG(0, "histogram", &chosen.histogram, "how many took how long, all rows together"),
    NUMBER('n', "rows", &chosen.most, 1, UINT32_MAX, "ROWS", "at most so many rows (all)"),
    OPTIONS_END,
};

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_spans(engine, choice, &trace_syscalls, &chosen, document);
}

static int run(const struct arguments *arguments)
{
    if (call != NULL && !syscall_number(call, &chosen.only))
        return fail(KOV_USAGE, "there is no system call '%s'", call);
    chosen.histogram |= call != NULL;
    return trace_tool_run(arguments, "syscalls", answer, trace_syscalls_sheets, trace_spans_note);
}

const struct command command_trace_syscalls = {
    .name = "trace syscalls",
    .synopsis = TRACE_SOURCE_SYNOPSIS " [--call NAME] [--processes] [--histogram] [-n ROWS]",
    .summary = "How often system calls were made, and how long they took",
    .details =
        "Of events SYSCALL and SCHED: from entry to exit by the clock, also while the thread did\n"
        "not run; ON A CPU is how long it ran in between, with interrupts. An error is a result\n"
        "below 0. A sleep for an event (wait) ends when its thread runs again. Calls between\n"
        "processes are no system calls here: see `kov trace breakdown`. Names are those of the\n"
        "kernel that kov was built with.",
    .options = {trace_source_options, own_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
