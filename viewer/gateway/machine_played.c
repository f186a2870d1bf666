// SPDX-License-Identifier: MIT
// A machine that is played. It asks what was asked, when it was asked.
#include "gateway/machine_state.h"
#include "tools/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double machine_present(struct machine *machine)
{
    if (machine->player == NULL)
        return clock_now();
    double present = player_present(machine->player);
    machine->background.clock_late = clock_now() - present;
    return present;
}

// Notes the time of the last picture, so that "the last 10 seconds" stay where something is.
static void note_end(struct machine *machine)
{
    struct background *background = &machine->background;
    background->clock_ticks = background_now(background);
    background->clock_hertz = 0;
    snprintf(machine->failure, sizeof(machine->failure), "%s", player_problem(machine->player));
    machine_tell_state(machine, "played");
}

static int count(struct machine *machine, bool begun)
{
    struct metric_counts *counts = &machine->metric_counts;
    if (begun)
        metric_counts_reset(counts);
    counts->due = 0;
    int code =
        begun ? KOV_OK : metric_counts_attend(counts, &machine->background.list, machine->history);
    counts->due = INFINITY;
    return code;
}

static int start_run(struct machine *machine)
{
    char text[RUN_NAME_BYTES];
    u64 id;
    player_run_command(machine->player, text, sizeof(text));
    for (char *c = strpbrk(text, ":,"); c != NULL; c = strpbrk(c, ":,"))
        *c = ' ';
    return runs_start(&machine->runs, text, background_now(&machine->background), &id);
}

void played_begin(struct machine *machine)
{
    background_reset(&machine->background);
    machine->metric_counts.due = INFINITY; // until the tape has a reading
}

int played_attend(struct machine *machine)
{
    u32 news = player_news(machine->player);
    machine_present(machine);
    switch (news) {
    case ORRERY__DCI__REQUEST__BODY_PMU_EVENTS:
        event_list_free(&machine->background.list);
        return event_list_fetch(&machine->background.list);
    case ORRERY__DCI__REQUEST__BODY_CONSOLE_ATTACH:
        return console_history_attach(&machine->console);
    case ORRERY__DCI__REQUEST__BODY_OBJECTS:
        return machine_scan(machine);
    case ORRERY__DCI__REQUEST__BODY_SAMPLING_STAT:
        return background_close_cell(&machine->background);
    case ORRERY__DCI__REQUEST__BODY_COUNT_START:
    case ORRERY__DCI__REQUEST__BODY_COUNT_READ:
        return count(machine, news == ORRERY__DCI__REQUEST__BODY_COUNT_START);
    case ORRERY__DCI__REQUEST__BODY_WORKLOAD_START:
        return start_run(machine);
    case ORRERY__DCI__REQUEST__BODY_WORKLOADS:
        return runs_fetch_kinds(&machine->runs);
    case ORRERY__DCI__REQUEST__BODY_WORKLOAD_RUNS:
        return runs_find(&machine->runs);
    case ORRERY__DCI__REQUEST__BODY_WORKLOAD_STATUS:
        return runs_attend_one(&machine->runs, player_run_asked(machine->player),
                               background_now(&machine->background));
    case PLAYER_ENDED:
        note_end(machine);
        return KOV_OK;
    default:
        return KOV_OK; // kept for whoever asks
    }
}
