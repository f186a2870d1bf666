// SPDX-License-Identifier: MIT
// `kov trace locks`: who waited for spin locks, who held locks.
#include "commands/commands.h"
#include "analyses/trace_locks.h"

#include <string.h>

static const char *sort = "time";
static u64 most;

static const struct option own_options[] = {
    CHOICE(0, "sort", &sort, "COLUMN", "time count longest", "by time, count or longest (time)"),
    NUMBER('n', "rows", &most, 1, UINT32_MAX, "ROWS", "at most so many rows (all)"),
    OPTIONS_END,
};

static const char *const orders[] = {
    [LOCKS_BY_TIME] = "time", [LOCKS_BY_COUNT] = "count", [LOCKS_BY_LONGEST] = "longest"};
static enum trace_locks_order order;

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    return trace_locks(engine, choice, order, most, document);
}

static int run(const struct arguments *arguments)
{
    while (order < ARRAY_SIZE(orders) && strcmp(orders[order], sort) != 0)
        order++;
    if (order == ARRAY_SIZE(orders))
        return fail(KOV_USAGE, "--sort %s: must be time, count or longest", sort);
    return trace_tool_run(arguments, "locks", answer, trace_locks_sheets, trace_locks_note);
}

const struct command command_trace_locks = {
    .name = "trace locks",
    .synopsis = TRACE_SOURCE_SYNOPSIS " [--sort COLUMN] [-n ROWS]",
    .summary = "Who waited for locks in a trace, and who held them, by lock and call chain",
    .details =
        "Of events LOCK:lock_contended: the time waited, how often, how many turns of the lock's\n"
        "loop, the longest and the mean wait, on which CPUs, in which process, and who called.\n"
        "Of events LOCKHOLD: how long spin locks and sleeping locks were held, by lock and by who\n"
        "took them there, and how long others waited meanwhile.\n"
        "--pid needs events of SCHED or of the process in the trace, to know who runs.",
    .options = {trace_source_options, own_options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
