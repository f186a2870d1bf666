// SPDX-License-Identifier: MIT
// `kov trace breakdown`: where the time of processes goes.
#include "commands/commands.h"
#include "analyses/trace_breakdown.h"

static u64 most;

static const struct option own_options[] = {
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS",
           "at most so many rows of servers and of system calls (all)"),
    OPTIONS_END,
};

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_breakdown(engine, choice, most, document);
}

static int run(const struct arguments *arguments)
{
    return trace_tool_run(arguments, "breakdown", answer, trace_breakdown_sheets,
                          trace_breakdown_note);
}

const struct command command_trace_breakdown = {
    .name = "trace breakdown",
    .synopsis = TRACE_SOURCE_SYNOPSIS " [-n ROWS]",
    .summary = "Where the time of each process and CPU went, and what servers did for whom",
    .details =
        "Of events SCHED,SYSCALL,FAULT,IPC,IRQ,EXC,TIMER. The times of a process from USER (its\n"
        "own code) to UNKNOWN are exactly WALL: of each thread the time from its beginning or the\n"
        "trace's to its end. Those of a CPU are all of the time that is looked at. IN CALLS: it\n"
        "waited for answers of other processes and did nothing else; IPC: the kernel, for calls\n"
        "and answers. SERVED is what servers worked for its calls. EX-PROCESS is the time on its\n"
        "behalf outside of it, in the kernel (SYSCALLS, FAULTS, IPC) and in servers (SERVED); it\n"
        "is no part of WALL. A server works for the call that it took last until it answers or\n"
        "sleeps. Time of which the events do not tell, or where they are missing, is UNKNOWN.",
    .options = {trace_source_options, own_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
