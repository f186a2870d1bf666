// SPDX-License-Identifier: MIT
// Requests about the system's console, and the pushing of its output.
#include "kick.h"
#include "programs.h"
#include "service.h"

#include <orrery/sys.h>

static struct listener {
    bool attached;
    u64 position;
} listeners[SLOTS_MAX];
static bool awaited; // the kernel kicks when something is printed, and it has not done so yet

static s64 console_attach_begin(struct client *client, const dci_Request *request)
{
    u64 position = request->body.console_attach.from;
    u8 probe;

    s64 result = console_output(&position, &probe, sizeof(probe));
    if (result < 0)
        return result;
    listeners[client_slot(client)] = (struct listener){.attached = true, .position = position};
    awaited = false; // what was printed before waits for this client
    dci_ConsoleAttachReply reply = {.position = position};
    client_reply(client, dci_Response_console_attach_tag, dci_ConsoleAttachReply_fields, &reply);
    return REQUEST_REPLIED;
}

static void console_release(struct client *client)
{
    listeners[client_slot(client)].attached = false;
}

static u32 console_held_by(const struct client *client)
{
    return listeners[client_slot(client)].attached;
}

static s64 console_detach_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    console_release(client);
    return REQUEST_DONE;
}

static s64 console_input_begin(struct client *client, const dci_Request *request)
{
    const dci_ConsoleInputRequest *body = &request->body.console_input;

    s64 taken = console_input(body->data.bytes, body->data.size);
    if (taken < 0)
        return taken;
    dci_ConsoleInputReply reply = {.taken = (u32)taken};
    client_reply(client, dci_Response_console_input_tag, dci_ConsoleInputReply_fields, &reply);
    return REQUEST_REPLIED;
}

enum push { PUSHED, PUSH_NOTHING, PUSH_NO_ROOM };

// Pushes a frame of output, if there is any.
static enum push push(struct client *client)
{
    struct listener *listener = &listeners[client_slot(client)];
    struct frame frame;
    u32 room;

    if (!client_push_begin(client, &frame, dci_Event_console_tag))
        return PUSH_NO_ROOM;
    u32 mark = frame_open(&frame, dci_ConsoleOutput_data_tag);
    u8 *space = frame_space(&frame, &room);
    s64 bytes = console_output(&listener->position, space, OUTPUT_BYTES_MAX);
    if (bytes <= 0)
        return PUSH_NOTHING;
    frame_wrote(&frame, (u32)bytes);
    frame_close(&frame, mark);
    frame_varint(&frame, dci_ConsoleOutput_position_tag, listener->position);
    client_push_end(client, &frame);
    listener->position += (u64)bytes;
    return PUSHED;
}

// Returns when to look again, once everybody has been told all up to `end`.
static u64 await_output(u64 now, u64 end)
{
    s64 result = console_await(end);

    awaited = result == 0;
    if (result < 0)
        return now + server_ticks(OUTPUT_INTERVAL_MS_MAX);
    return awaited ? UINT64_MAX : now;
}

// While the kernel has nothing to tell, it is not asked.
static u64 console_work(u64 now)
{
    bool any = false, more = false, held_back = false;
    u64 end = UINT64_MAX;

    awaited &= !kick_come(KICK_OUTPUT);
    if (awaited)
        return UINT64_MAX;
    for (u32 i = 0; i < SLOTS_MAX; i++) {
        if (!listeners[i].attached)
            continue;
        any = true;
        enum push result = push(client_at(i));
        more |= result == PUSHED;
        held_back |= result == PUSH_NO_ROOM;
        end = listeners[i].position < end ? listeners[i].position : end;
    }
    if (!any)
        return UINT64_MAX;
    if (more)
        return now;
    return held_back ? now + server_ticks(OUTPUT_INTERVAL_MS) : await_output(now, end);
}

static const struct request_kind kinds[] = {
    REQUEST(console_attach, dci_Role_ROLE_OBSERVER, console_attach_begin, NULL),
    REQUEST(console_input, dci_Role_ROLE_CONTROLLER, console_input_begin, NULL),
    REQUEST(console_detach, dci_Role_ROLE_OBSERVER, console_detach_begin, NULL),
};

const struct service console_service = {.kinds = kinds,
                                        .kind_count = ARRAY_SIZE(kinds),
                                        .work = console_work,
                                        .release = console_release,
                                        .held_by = console_held_by};
