// SPDX-License-Identifier: MIT
// What browsers ask of a machine: topics that they watch, and requests, which its thread grants.
#include "gateway/machine_state.h"
#include "tools/kov.h"
#include "tools/memory.h"

#include <stdlib.h>

static struct published **find_published(struct machine *machine, u64 number)
{
    struct published **place = &machine->published;
    while (*place != NULL && (*place)->number != number)
        place = &(*place)->next;
    return place;
}

void machine_watch(struct machine *machine, struct post *request)
{
    struct published *published = memory_get(sizeof(*published));
    *published = (struct published){.number = request->topic,
                                    .kind = request->watched,
                                    .parameters = request->json,
                                    .afresh = true,
                                    .next = machine->published};
    request->json = NULL;
    machine->published = published;
}

static void remove_topic(struct published **place)
{
    struct published *published = *place;
    if (published == NULL)
        return;
    *place = published->next;
    json_decref(published->parameters);
    free(published);
}

void machine_unwatch_all(struct machine *machine)
{
    while (machine->published != NULL)
        remove_topic(&machine->published);
}

static void say_afresh(struct published *published)
{
    if (published == NULL)
        return;
    published->due = 0;
    published->afresh = true;
}

void machine_say_all(struct machine *machine)
{
    for (struct published *one = machine->published; one != NULL; one = one->next)
        say_afresh(one);
}

static int grant(struct machine *machine, struct post *request)
{
    switch (request->kind) {
    case REQUEST_WATCH:
        machine_watch(machine, request);
        return KOV_OK;
    case REQUEST_REFRESH:
        say_afresh(*find_published(machine, request->topic));
        return KOV_OK;
    case REQUEST_UNWATCH:
        remove_topic(find_published(machine, request->topic));
        return KOV_OK;
    case REQUEST_END:
        machine->ending = true;
        return KOV_OK;
    default:
        return request_answer(machine, request);
    }
}

int machine_serve_requests(struct machine *machine)
{
    int code = KOV_OK;
    for (struct post *request = post_take(&machine->requests), *next; request != NULL;
         request = next) {
        next = request->next;
        int granted = grant(machine, request);
        code = code == KOV_OK ? granted : code;
        post_free(request);
    }
    return code;
}
