// SPDX-License-Identifier: MIT
// The arrows of a slice of a trace folder, as `kov trace export` draws them.
#include "gateway/machine_state.h"
#include "analyses/slice_arrows.h"
#include "output/document.h"
#include "tools/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool read_track(const char *of, struct slice_arrows *wanted)
{
    char letter;
    int end = 0;
    if (of == NULL || sscanf(of, "%c:%10" SCNu64 "%n", &letter, &wanted->number, &end) != 2 ||
        of[end] != 0)
        return false;
    wanted->of_cpu = letter == 'c';
    return wanted->of_cpu ? wanted->number < ORRERY_MAX_CPUS
                          : letter == 't' && wanted->number < NO_THREAD;
}

static int choose(const struct machine *machine, const json_t *ask, struct slice_arrows *wanted)
{
    const json_t *from = json_object_get(ask, "from"), *to = json_object_get(ask, "to");
    const struct timeline *timeline = machine->timeline;
    if (!read_track(json_string_value(json_object_get(ask, "of")), wanted))
        return fail(KOV_USAGE, "of: c:CPU or t:THREAD");
    if (from == NULL || to == NULL)
        return fail(KOV_USAGE, "arrows are of a slice: from and to");
    u64 begin = machine_ticks(machine, json_number_value(from), timeline->begin);
    u64 end = machine_ticks(machine, json_number_value(to), timeline->end);
    wanted->from = begin > timeline->begin ? begin : timeline->begin;
    wanted->to = end < timeline->end ? end : timeline->end;
    return wanted->from <= wanted->to ? KOV_OK : fail(KOV_USAGE, "no slice is there");
}

static void put_end(const struct machine *machine, json_t *arrow, const char *name,
                    const struct arrow_end *end)
{
    json_t *into = put_object(arrow, name);
    json_object_set_new(into, "time", json_real(machine_time(machine, end->time)));
    put_u64(into, "cpu", end->cpu);
    if (end->thread != ACTIVITY_NO_THREAD)
        put_u64(into, "thread", end->thread);
    if (end->pid != ACTIVITY_NO_PID) {
        const char *process = labels_find(&machine->timeline->labels, LABEL_PROCESS, end->pid);
        put_u64(into, "pid", end->pid);
        if (process != NULL)
            json_object_set_new(into, "process", block_text(process));
    }
    if (end->user != 0)
        put_u64(into, "user_thread", end->user);
}

static void put_arrows(const struct machine *machine, const struct slice_arrows *found,
                       json_t *data)
{
    json_t *list = put_array(data, "arrows");
    for (u32 i = 0; i < found->count; i++) {
        const struct arrow *arrow = &found->arrows[i];
        json_t *into = put_object(list, NULL);
        put_text(into, "kind", arrow->kind == ARROW_WAKE ? "wake" : "call");
        put_bool(into, "interrupt", arrow->from.interrupt);
        put_end(machine, into, "begin", &arrow->from);
        put_end(machine, into, "end", &arrow->to);
    }
    put_bool(data, "more", found->more);
    put_u64(data, "open", found->open);
    json_object_set_new(data, "searched", json_real(machine_time(machine, found->searched)));
    put_u64(data, "forgotten", found->forgotten);
}

int folder_put_arrows(struct machine *machine, const json_t *ask, json_t *data)
{
    struct slice_arrows *found = memory_get(sizeof(*found));
    *found = (struct slice_arrows){0};
    int code = choose(machine, ask, found);
    if (code == KOV_OK)
        code = slice_arrows_find(machine->timeline, found);
    if (code == KOV_OK)
        put_arrows(machine, found, data);
    free(found);
    return code;
}
