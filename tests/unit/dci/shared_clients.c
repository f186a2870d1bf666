// SPDX-License-Identifier: MIT
#include "shared_clients.h"

#include <stdlib.h>

static const u32 slots[CLIENTS] = {0, 1, 7, 30, SLOTS_MAX - 2, SLOTS_MAX - 1};
struct client clients[CLIENTS];
bool has_room[CLIENTS] = {true, true, true, true, true, true};
struct mails got[CLIENTS], due[CLIENTS];

static u32 index_of(const struct client *client)
{
    return (u32)(client - clients);
}

struct client *client_at(u32 slot)
{
    for (u32 i = 0; i < CLIENTS; i++)
        if (slots[i] == slot && clients[i].number != 0)
            return &clients[i];
    return NULL;
}

u32 client_slot(const struct client *client)
{
    return slots[index_of(client)];
}

dci_SharingClient client_name(const struct client *client)
{
    return (dci_SharingClient){.number = client->number};
}

static void note(u32 index, const u8 *bytes, u32 count)
{
    u32 length = (u32)bytes[0] << 24 | (u32)bytes[1] << 16 | (u32)bytes[2] << 8 | bytes[3];
    struct mails *mails = &got[index];

    assert_int_equal(length + 4, count);
    Orrery__Dci__ServerFrame *frame = orrery__dci__server_frame__unpack(NULL, length, bytes + 4);
    assert_non_null(frame);
    assert_non_null(frame->event);
    assert_in_range(mails->count, 0, MAILS_MAX - 1);
    const Orrery__Dci__Event *event = frame->event;
    struct mail mail = {0};
    const Orrery__Dci__Share *share = NULL;
    switch (event->body_case) {
    case ORRERY__DCI__EVENT__BODY_TRACE_BEGAN:
        mail.kind = MAIL_BEGAN;
        mail.number = (u32)event->trace_began->pushed;
        break;
    case ORRERY__DCI__EVENT__BODY_TRACE_ENDED:
        mail.kind = MAIL_ENDED;
        mail.number = (u32)event->trace_ended->pushed;
        mail.reason = event->trace_ended->reason;
        mail.more = event->trace_ended->more;
        if (event->trace_ended->successor != NULL)
            mail.successor = event->trace_ended->successor->number;
        share = event->trace_ended->share;
        break;
    case ORRERY__DCI__EVENT__BODY_TRACE_MISSED:
        mail.kind = MAIL_MISSED;
        share = event->trace_missed;
        break;
    case ORRERY__DCI__EVENT__BODY_PACKET:
        mail.kind = MAIL_PACKET;
        mail.number = event->packet->cpu;
        break;
    default:
        fail_msg("event %u is nobody's", (unsigned)event->body_case);
    }
    mail.has_share = share != NULL;
    mail.given = share != NULL ? share->given : 0;
    mail.missed = share != NULL ? share->missed : 0;
    mails->mails[mails->count++] = mail;
    orrery__dci__server_frame__free_unpacked(frame, NULL);
}

void client_takes_mail(u32 index)
{
    struct client *client = &clients[index];
    const u8 *bytes;

    for (u32 count; (count = queue_front(&client->queue, &bytes)) != 0;) {
        u32 length = ((u32)bytes[1] << 16 | (u32)bytes[2] << 8 | bytes[3]) + 4;
        assert_in_range(length, 5, count);
        note(index, bytes, length);
        queue_remove(&client->queue, length);
    }
}

bool client_push_begin(struct client *client, struct frame *frame, u32 body)
{
    if (client->closing || !queue_prepare(&client->queue, QUEUE_PUSHES))
        return false;
    frame_event(frame, &client->queue, body);
    return true;
}

void client_push_end(struct client *client, struct frame *frame)
{
    assert_ptr_equal(frame->queue, &client->queue);
    assert_int_not_equal(frame_end(frame), 0);
}

static bool append(struct client *client, const struct frame *frame, enum queue_kind kind)
{
    if (client->closing || !queue_prepare(&client->queue, kind))
        return false;
    queue_append(&client->queue, frame->base, frame->used);
    return true;
}

bool client_push_copy(struct client *client, const struct frame *frame)
{
    return append(client, frame, QUEUE_PUSHES);
}

// What begins and ends is told without room, too.
void client_tell(struct client *client, const struct frame *frame)
{
    assert_true(client->closing || append(client, frame, QUEUE_PUSHES) ||
                append(client, frame, QUEUE_NEWS));
}

void *queue_memory_alloc(u64 bytes)
{
    return calloc(1, bytes);
}

void queue_memory_free(void *memory)
{
    free(memory);
}

void client_changes_room(u32 index)
{
    struct queue *queue = &clients[index].queue;

    has_room[index] = !has_room[index];
    assert_int_equal(queue->bytes, 0);
    queue_clear(queue);
    queue->blocks[QUEUE_PUSHES] = has_room[index] ? 0 : PUSH_BLOCKS_MAX;
}
