// SPDX-License-Identifier: MIT
// Protobuf in one pass. The length of a nested message comes before its contents, and is not known
// yet. So it is always a varint of three bytes, perhaps with leading zeros, which is filled in when
// the message is closed.
#include "frame.h"

#include <pb_encode.h>
#include <string.h>

#define FRAME_HEADER 4
#define LENGTH_BYTES 3 // 21 bits
#define VARINT_BYTES_MAX 10
#define WIRE_VARINT 0
#define WIRE_FIXED64 1
#define WIRE_BYTES 2

_Static_assert(FRAME_BYTES_MAX < 1 << 21, "lengths must fit");

static bool has_room(struct frame *frame, u32 bytes)
{
    if (bytes > FRAME_BYTES_MAX - frame->used)
        frame->overflow = true;
    return !frame->overflow;
}

void frame_bytes(struct frame *frame, const void *bytes, u32 count)
{
    if (!has_room(frame, count))
        return;
    // cppcheck-suppress uninitvar ; write_varint fills them by another pointer
    memcpy(frame->base + frame->used, bytes, count);
    frame->used += count;
}

static u8 *write_varint(u8 *to, u64 value)
{
    for (; value > 0x7f; value >>= 7)
        *to++ = (u8)(value | 0x80);
    *to++ = (u8)value;
    return to;
}

// Returns the place for this many varints, which are then written without another look at the room,
// or NULL if the longest ones might not fit.
static inline u8 *place_for(const struct frame *frame, u32 varints)
{
    bool fits = !frame->overflow && frame->used + varints * VARINT_BYTES_MAX <= FRAME_BYTES_MAX;
    return fits ? frame->base + frame->used : NULL;
}

// Near the end of the room.
static void put_last_varint(struct frame *frame, u64 value)
{
    u8 bytes[VARINT_BYTES_MAX];
    frame_bytes(frame, bytes, (u32)(write_varint(bytes, value) - bytes));
}

static void put_varint(struct frame *frame, u64 value)
{
    u8 *to = place_for(frame, 1);

    if (to == NULL)
        put_last_varint(frame, value);
    else
        frame->used = (u32)(write_varint(to, value) - frame->base);
}

// Little-endian. A compiler makes one store of these.
static inline void write_fixed64(u8 *to, u64 value)
{
    to[0] = (u8)value;
    to[1] = (u8)(value >> 8);
    to[2] = (u8)(value >> 16);
    to[3] = (u8)(value >> 24);
    to[4] = (u8)(value >> 32);
    to[5] = (u8)(value >> 40);
    to[6] = (u8)(value >> 48);
    to[7] = (u8)(value >> 56);
}

static void put_tag(struct frame *frame, u32 field, u32 wire_type)
{
    put_varint(frame, (u64)field << 3 | wire_type);
}

u32 frame_open(struct frame *frame, u32 field)
{
    put_tag(frame, field, WIRE_BYTES);
    if (has_room(frame, LENGTH_BYTES))
        frame->used += LENGTH_BYTES;
    return frame->used;
}

void frame_close(struct frame *frame, u32 mark)
{
    u32 length = frame->used - mark;

    if (frame->overflow)
        return;
    frame->base[mark - 3] = (u8)((length & 0x7f) | 0x80);
    frame->base[mark - 2] = (u8)((length >> 7 & 0x7f) | 0x80);
    frame->base[mark - 1] = (u8)(length >> 14);
}

void frame_varint(struct frame *frame, u32 field, u64 value)
{
    if (value == 0)
        return; // in proto3 an absent field is 0
    u8 *to = place_for(frame, 2);
    if (to == NULL) {
        put_last_varint(frame, (u64)field << 3 | WIRE_VARINT);
        put_last_varint(frame, value);
        return;
    }
    to = write_varint(to, field << 3 | WIRE_VARINT);
    frame->used = (u32)(write_varint(to, value) - frame->base);
}

// Zigzag: -1 is 1, 1 is 2, -2 is 3, …
void frame_sint(struct frame *frame, u32 field, s64 value)
{
    frame_varint(frame, field, (u64)value << 1 ^ (u64)(value >> 63));
}

void frame_fixed64(struct frame *frame, u32 field, u64 value)
{
    if (value == 0)
        return;
    put_tag(frame, field, WIRE_FIXED64);
    if (!has_room(frame, sizeof(value)))
        return;
    write_fixed64(frame->base + frame->used, value);
    frame->used += (u32)sizeof(value);
}

void frame_text(struct frame *frame, u32 field, const char *text, u32 room)
{
    u32 length = (u32)strnlen(text, room - 1);

    if (length == 0)
        return;
    put_tag(frame, field, WIRE_BYTES);
    put_varint(frame, length);
    frame_bytes(frame, text, length);
}

void frame_string(struct frame *frame, u32 field, const char *text)
{
    frame_text(frame, field, text, FRAME_BYTES_MAX);
}

void frame_message(struct frame *frame, const pb_msgdesc_t *type, const void *message)
{
    if (frame->overflow)
        return;
    pb_ostream_t out =
        pb_ostream_from_buffer(frame->base + frame->used, FRAME_BYTES_MAX - frame->used);
    if (pb_encode(&out, type, message))
        frame->used += (u32)out.bytes_written;
    else
        frame->overflow = true;
}

void frame_record(struct frame *frame, u32 field, const pb_msgdesc_t *type, const void *message)
{
    u32 mark = frame_open(frame, field);
    frame_message(frame, type, message);
    frame_close(frame, mark);
}

void frame_packed(struct frame *frame, u32 field, const u64 *values, u32 count)
{
    if (count == 0)
        return;
    u32 mark = frame_open(frame, field);
    for (u32 i = 0; i < count; i++)
        put_varint(frame, values[i]);
    frame_close(frame, mark);
}

void frame_packed_fixed64(struct frame *frame, u32 field, const u64 *values, u32 count)
{
    if (count == 0)
        return;
    put_tag(frame, field, WIRE_BYTES);
    put_varint(frame, count * sizeof(u64));
    if (!has_room(frame, count * (u32)sizeof(u64)))
        return;
    for (u32 i = 0; i < count; i++, frame->used += (u32)sizeof(u64))
        write_fixed64(frame->base + frame->used, values[i]);
}

u8 *frame_space(struct frame *frame, u32 *room)
{
    *room = frame->overflow ? 0 : FRAME_BYTES_MAX - frame->used;
    return frame->base + frame->used;
}

void frame_wrote(struct frame *frame, u32 bytes)
{
    if (has_room(frame, bytes))
        frame->used += bytes;
}

static void frame_begin(struct frame *frame, struct queue *queue, u8 *space, u32 member)
{
    *frame = (struct frame){.queue = queue, .base = space, .used = FRAME_HEADER};
    frame->outer = frame_open(frame, member);
}

void frame_response(struct frame *frame, struct queue *queue, u32 id, u32 body)
{
    frame_begin(frame, queue, queue_space(queue), dci_ServerFrame_response_tag);
    frame_varint(frame, dci_Response_id_tag, id);
    frame->body = body;
    if (body != 0)
        frame->inner = frame_open(frame, body);
}

void frame_event(struct frame *frame, struct queue *queue, u32 body)
{
    frame_event_at(frame, queue_space(queue), body);
    frame->queue = queue;
}

void frame_event_at(struct frame *frame, u8 *space, u32 body)
{
    frame_begin(frame, NULL, space, dci_ServerFrame_event_tag);
    frame->body = body;
    frame->inner = frame_open(frame, body);
}

static void close_body(struct frame *frame)
{
    if (frame->body != 0)
        frame_close(frame, frame->inner);
}

static u32 finish(struct frame *frame)
{
    frame_close(frame, frame->outer);
    if (frame->overflow)
        return 0;
    u32 length = frame->used - FRAME_HEADER;
    u8 header[FRAME_HEADER] = {(u8)(length >> 24), (u8)(length >> 16), (u8)(length >> 8),
                               (u8)length};
    memcpy(frame->base, header, sizeof(header));
    if (frame->queue != NULL)
        queue_add(frame->queue, frame->used);
    return frame->used;
}

u32 frame_end(struct frame *frame)
{
    close_body(frame);
    return finish(frame);
}

u32 frame_end_response(struct frame *frame, s64 error, const char *message, bool more)
{
    close_body(frame);
    frame_sint(frame, dci_Response_error_tag, error < 0 ? error : 0);
    frame_string(frame, dci_Response_message_tag, message);
    frame_varint(frame, dci_Response_more_tag, more);
    return finish(frame);
}
