// SPDX-License-Identifier: MIT
// Brings processes in line. Any number of them may start and end between two steps.
#include "switching.h"

#include "system.h"

#include <orrery/errors.h>
#include <orrery/process.h>
#include <orrery/sys.h>

void switching_remove(struct switching *switching, u32 index)
{
    switching->processes[index] = switching->processes[--switching->count];
}

void switching_begin(struct switching *switching, enum switching_phase phase)
{
    if (switching->round == NULL)
        switching->phase = phase;
    else if (switching->after != SWITCHING_OFF)
        switching->after = phase;
    switching->place = 0;
}

// ---- the rounds' processes ----------------------------------------------------------------------

// Tells a process that has failed to switch on to switch off: it may have done so too late. Nobody
// waits for its answer.
static void tell_off(const struct switching *switching, u32 pid)
{
    u64 arguments[4] = {0};

    switching->arguments(arguments, false);
    question_drop(question_ask(pid, switching->operation, arguments, 0, server_ticks(1000)));
}

// Visits the processes that are to go off. They leave the list.
static bool next_off(struct round *round, struct visit *visit)
{
    struct switching *switching = round->context;

    while (switching->place < switching->count) {
        const struct switched_process process = switching->processes[switching->place];
        visit->pid = process.pid;
        if (switching->stays(process.pid)) {
            switching->place++;
            continue;
        }
        switching_remove(switching, switching->place);
        if (process.failure.error == 0)
            return true;
        tell_off(switching, process.pid);
    }
    return false;
}

// Returns true if the time has come to try a failed process again (failures.h).
static bool may_try_again(const struct failure *failure)
{
    return failure->error != 0 && failure->again != 0 && sys_time() >= failure->again;
}

// Visits the wanted processes that are not in the list, or may be tried again.
static bool next_on(struct round *round, struct visit *visit)
{
    struct switching *switching = round->context;
    struct sys_process_info info;

    while (sys_process_list(&round->cursor, &info, sizeof(info)) > 0) {
        u32 place = 0;
        visit->pid = info.pid;
        if (!switching->wanted(info.pid))
            continue;
        while (place < switching->count && switching->processes[place].pid != info.pid)
            place++;
        if (place < switching->count && may_try_again(&switching->processes[place].failure))
            switching_remove(switching, place);
        else if (place < switching->count)
            continue;
        return true;
    }
    return false;
}

static u32 ask_switch(const struct round *round, const struct visit *visit, u64 arguments[4],
                      u32 *room)
{
    const struct switching *switching = round->context;

    (void)visit;
    *room = 0;
    switching->arguments(arguments, switching->phase == SWITCHING_ON);
    return switching->operation;
}

static const struct round_kind off_kind = {.ask = ask_switch, .next = next_off};
static const struct round_kind on_kind = {.ask = ask_switch, .next = next_on};

// ---- the rounds ---------------------------------------------------------------------------------

static void note(struct switching *switching, const struct visit *visit)
{
    if (switching->phase == SWITCHING_OFF)
        return;
    bool wanted = switching->told == NULL || switching->told(visit);
    if (wanted && switching->count < switching->max)
        switching->processes[switching->count++] =
            (struct switched_process){.pid = visit->pid, .failure = visit->failure};
}

static bool begin_round(struct switching *switching)
{
    const struct round_kind *kind = switching->phase == SWITCHING_OFF ? &off_kind : &on_kind;

    switching->place = 0;
    switching->round = round_begin(kind, dci_Scope_SCOPE_ALL, 0);
    if (switching->round != NULL)
        switching->round->context = switching;
    return switching->round != NULL;
}

static void end_round(struct switching *switching)
{
    round_end(switching->round);
    switching->round = NULL;
    if (switching->after != SWITCHING_IN_LINE)
        switching->phase = switching->after;
    else
        switching->phase = switching->phase == SWITCHING_OFF ? SWITCHING_ON : SWITCHING_IN_LINE;
    switching->after = SWITCHING_IN_LINE;
}

bool switching_go(struct switching *switching)
{
    while (switching->phase != SWITCHING_IN_LINE) {
        struct visit *visit;
        if (switching->round == NULL && !begin_round(switching))
            return false; // no memory now: tried again later
        while ((visit = round_next(switching->round)) != NULL) {
            note(switching, visit);
            round_used(switching->round, visit);
        }
        if (!round_over(switching->round))
            return false;
        end_round(switching);
    }
    return true;
}
