// SPDX-License-Identifier: MIT
// The boot of a machine before its present one. When a machine has been started again, what was
// known of the boot that ended goes to a machine of its own, which has no connection and still says
// it, until the next boot ends.
#include "gateway/machine_state.h"
#include "tools/interrupt.h"

#include <stdlib.h>
#include <string.h>

#define TURN_SECONDS 0.1 // between two looks at what browsers want

void machine_free_boot(struct machine *machine)
{
    history_free(machine->history);
    machine->history = NULL;
    runs_free(&machine->runs);
    machine->programs.count = machine->watching.count = 0;
    console_history_clear(&machine->console);
    snapshot_free(&machine->snapshot);
    tree_free(&machine->tree);
    json_decref(machine->server);
    machine->server = NULL;
    machine->scans = 0;
}

// Moves what is known of a boot. It has ended, so its clock stands, and nothing more is sampled.
static void move_boot(struct machine *to, struct machine *from)
{
    memcpy(to->boot, from->boot, sizeof(to->boot));
    memcpy(to->panic, from->panic, sizeof(to->panic));
    to->boot_time = from->boot_time;
    to->timebase_hz = from->timebase_hz;
    to->history = from->history;
    to->runs = from->runs;
    to->programs = from->programs;
    to->watching = from->watching;
    to->console = from->console;
    to->snapshot = from->snapshot;
    to->tree = from->tree;
    to->server = from->server;
    to->scans = from->scans;
    to->scanned = from->scanned;
    to->scan_seconds = from->scan_seconds;
    to->lost_at = from->lost_at;
    to->background.events = from->background.events;
    to->background.received = from->background.received;
    to->background.missed = from->background.missed;
    to->background.running = to->background.mine = true; // of the set that it had
    to->background.history = from->history;
    to->background.clock_ticks = from->lost_at;
    from->history = from->background.history = NULL;
    from->runs = (struct runs){0};
    from->console = (struct console_history){0};
    from->snapshot = (struct snapshot){0};
    from->tree = (struct tree){0};
    from->server = NULL;
    from->scans = 0;
}

void machine_hand_on_boot(struct machine *machine)
{
    struct machine *past = machine->past;
    if (past != NULL) {
        struct machine *handed = memory_get(sizeof(*handed));
        move_boot(handed, machine);
        handed = atomic_exchange(&past->handed, handed);
        if (handed == NULL)
            return;
        machine_free_boot(handed); // it had not been taken yet
        free(handed);
    }
    machine_free_boot(machine);
}

static void take_boot(struct machine *machine)
{
    struct machine *handed = atomic_exchange(&machine->handed, NULL);
    if (handed == NULL)
        return;
    machine_free_boot(machine);
    move_boot(machine, handed);
    free(handed);
    machine_reset_names(machine);
    machine_tell_state(machine, "ended");
}

void *machine_run_past(void *context)
{
    struct machine *machine = context;
    while (!machine->ending) {
        take_boot(machine);
        machine_serve_requests(machine);
        if (names_are_full(&machine->names))
            machine_reset_names(machine);
        if (machine->history != NULL)
            publish_due(machine);
        interrupt_sleep(TURN_SECONDS);
    }
    return NULL;
}
