// SPDX-License-Identifier: MIT
// Machines that are played.
#include "played.h"

#include <string.h>

struct machine played_machines[PLAYED_MACHINES] = {{.name = "one", .number = 0},
                                                   {.name = "two", .number = 1}};

const char *machine_name(const struct machine *machine)
{
    return machine->name;
}

struct exposition *machine_exposition(const struct machine *machine)
{
    return machine->exposition;
}

bool machine_takes_request(struct machine *machine, u64 browser)
{
    return post_fits(&machine->requests, browser);
}

void machine_request(struct machine *machine, const struct post *request)
{
    post_send(&machine->requests, request);
}

static void ignore(void *context)
{
    (void)context;
}

void played_begin(struct hub *hub, void (*wake)(void *context), void *context)
{
    access_init(&hub->access);
    post_queue_init(&hub->posts, wake == NULL ? ignore : wake, context);
    for (u32 i = 0; i < PLAYED_MACHINES; i++) {
        post_queue_init(&played_machines[i].requests, ignore, NULL);
        hub->machines[i] = &played_machines[i];
    }
    hub->machine_count = PLAYED_MACHINES;
}

void played_end(struct hub *hub)
{
    for (u32 i = 0; i < PLAYED_MACHINES; i++) {
        post_queue_free(&played_machines[i].requests);
        hub->machines[i] = NULL;
    }
}

struct post *played_request(u32 machine)
{
    static struct post *waiting[PLAYED_MACHINES];
    if (waiting[machine] == NULL)
        waiting[machine] = post_take(&played_machines[machine].requests);
    struct post *request = waiting[machine];
    if (request != NULL)
        waiting[machine] = request->next;
    return request;
}

u32 played_drop_requests(u32 machine)
{
    u32 count = 0;
    for (struct post *request; (request = played_request(machine)) != NULL; count++)
        post_free(request);
    return count;
}

void played_publish(struct hub *hub, u64 topic, size_t bytes, bool whole)
{
    struct block *block = block_new(FRAME_HEAD_BYTES + bytes, true, whole);
    struct frame_head head = {.kind = FRAME_BYTES, .flags = whole ? FRAME_WHOLE : 0};
    head.rows = (u32)bytes;
    frame_head_write(block->data, &head);
    post_send(&hub->posts, &(struct post){.kind = POST_TOPIC, .topic = topic, .block = block});
}

void played_names(struct hub *hub, u32 machine, u32 first, bool forget)
{
    if (forget)
        post_send(&hub->posts, &(struct post){.kind = POST_RESET, .machine = machine});
    json_t *json = json_pack("{s:s, s:s, s:i, s:[[s, s, i, i]], s:i, s:[]}", "type", "names",
                             "machine", played_machines[machine].name, "first", (int)first,
                             "things", "m", "label", 0, 0, "first_string", 1, "strings");
    post_send(&hub->posts,
              &(struct post){.kind = POST_NAMES, .machine = machine, .block = block_of_json(json)});
}

void played_tell(struct hub *hub, u32 machine, const char *state)
{
    json_t *json = json_pack("{s:s, s:s, s:s}", "type", "machine", "machine",
                             played_machines[machine].name, "state", state);
    post_send(
        &hub->posts,
        &(struct post){.kind = POST_NOTICE, .machine = machine, .block = block_of_json(json)});
}

void played_answer(struct hub *hub, const struct post *request, const char *text)
{
    json_t *json = json_pack("{s:s, s:O, s:{s:s}}", "type", "answer", "id",
                             json_object_get(request->json, "id"), "data", "text", text);
    post_send(&hub->posts, &(struct post){.kind = POST_ANSWER,
                                          .browser = request->browser,
                                          .block = block_of_json(json)});
}
