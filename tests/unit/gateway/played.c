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

bool machine_takes_wish(struct machine *machine, u64 browser)
{
    return post_fits(&machine->wishes, browser);
}

void machine_wish(struct machine *machine, const struct post *wish)
{
    post_send(&machine->wishes, wish);
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
        post_queue_init(&played_machines[i].wishes, ignore, NULL);
        hub->machines[i] = &played_machines[i];
    }
    hub->machine_count = PLAYED_MACHINES;
}

void played_end(struct hub *hub)
{
    for (u32 i = 0; i < PLAYED_MACHINES; i++) {
        post_queue_free(&played_machines[i].wishes);
        hub->machines[i] = NULL;
    }
}

struct post *played_wish(u32 machine)
{
    static struct post *waiting[PLAYED_MACHINES];
    if (waiting[machine] == NULL)
        waiting[machine] = post_take(&played_machines[machine].wishes);
    struct post *wish = waiting[machine];
    if (wish != NULL)
        waiting[machine] = wish->next;
    return wish;
}

u32 played_forget_wishes(u32 machine)
{
    u32 count = 0;
    for (struct post *wish; (wish = played_wish(machine)) != NULL; count++)
        post_free(wish);
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
        post_send(&hub->posts, &(struct post){.kind = POST_FORGET, .machine = machine});
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
    post_send(&hub->posts,
              &(struct post){.kind = POST_TOLD, .machine = machine, .block = block_of_json(json)});
}

void played_answer(struct hub *hub, const struct post *wish, const char *text)
{
    json_t *json = json_pack("{s:s, s:O, s:{s:s}}", "type", "answer", "id",
                             json_object_get(wish->json, "id"), "data", "text", text);
    post_send(&hub->posts, &(struct post){.kind = POST_ANSWER,
                                          .browser = wish->browser,
                                          .block = block_of_json(json)});
}
