// SPDX-License-Identifier: MIT
// `kov monitor show`: a picture of what a monitor recorded.
#include "commands/commands.h"
#include "monitors/monitor_view.h"
#include "tools/interrupt.h"
#include "tools/lines.h"
#include "tools/strips.h"

#define REFRESH_SECONDS 1
#define LIVE_SECONDS 10 // how many are shown, unless --from says it

static struct monitor_view_options chosen = {.cells = 72};
static bool live;

static const struct option options[] = {
    TEXT(0, "from", &trace_options.from, "TIME",
         "from there on: seconds, or +SECONDS from the beginning"),
    TEXT(0, "to", &trace_options.to, "TIME", "up to there, inclusive"),
    NUMBER('w', "width", &chosen.cells, 1, STRIP_CELLS_MAX, "CELLS", "so wide (72)"),
    TEXT(0, "meter", &chosen.meter, "A,B", "mark these times, and tell the time between them"),
    FLAG(0, "summary", &chosen.summary, "how long turns and waits were, in place of the picture"),
    FLAG(0, "compensate", &chosen.compensate,
         "each time less what the earlier records of its CPU cost"),
    FLAG(0, "live", &live,
         "while it is recorded: the last 10 s (or --from), each second, until Ctrl-C"),
    FLAG(0, "check", &chosen.check, "fail where more threads run than there are CPUs"),
    FLAG(0, "ascii", &chosen.ascii, "'#' for runs, '-' for ready, '~' for many changes"),
    OPTIONS_END,
};

static int answer(struct engine *engine, const struct trace_choice *choice, json_t *document)
{
    struct trace_choice last = *choice;
    u64 begin, end, span = LIVE_SECONDS * engine->descriptions.hz;
    engine_range(engine, &begin, &end);
    if (live && trace_options.from == NULL && end - begin > span)
        last.from = end - span;
    return monitor_view(engine, &last, &chosen, document);
}

static int show(const struct arguments *arguments)
{
    return trace_tool_run(arguments, NULL, answer,
                          chosen.summary ? monitor_view_summary_sheets : monitor_view_sheets,
                          chosen.summary ? monitor_view_summary_note : monitor_view_note);
}

static int follow(const struct arguments *arguments)
{
    int code = KOV_OK;
    interrupt_catch();
    while (code == KOV_OK && !interrupted()) {
        lines_clear_screen();
        code = show(arguments);
        fflush(stdout);
        interrupt_sleep(REFRESH_SECONDS);
    }
    return code;
}

static int run(const struct arguments *arguments)
{
    if (arguments->count == 0)
        return fail(KOV_USAGE, "name the folder of a recording");
    return live ? follow(arguments) : show(arguments);
}

const struct command command_monitor_show = {
    .name = "monitor show",
    .synopsis =
        "FOLDER [--from TIME] [--to TIME] [-w CELLS] [--meter A,B] [--summary] [--compensate] "
        "[--live] [--check]",
    .summary = "A picture of what a monitor recorded: who runs, is ready, or waits for what",
    .details =
        "A row a thread and CPU; a cell shows what it did for most of that time: █ runs, ░ ready\n"
        "(it has been woken, was preempted, or gave its turn away), a letter: waits (c for\n"
        "calls, r behind an answer, a for an answer, e event, m message, l lock, p page, t time,\n"
        "o other, b not told); ≈ more than two changes, ? not known, "
        "for instance as records were lost.\n"
        "Below a process's row are threads of its library, as NAME/NUMBER: one runs while the\n"
        "library says so and its dispatcher runs.\n"
        "--summary also tells how often it could have left and the scheduler chose it again, and\n"
        "how many wake-ups, page faults, system calls and requests to the disk there were.\n"
        "--compensate takes off what recording cost, by what the machine measured of 64 records;\n"
        "all times are then compensated ones, also those of --from, --to and --meter. How often\n"
        "something happened stays. Lost records count as nothing. With several CPUs this is\n"
        "approximate: a CPU gives up what it saved where it would wake or get a thread too early.",
    .options = {options},
    .max_arguments = 1,
    .has_csv = true,
    .run = run,
};
