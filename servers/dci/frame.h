// SPDX-License-Identifier: MIT
// Builds one ServerFrame in place at the tail of a client's queue: nested messages are opened,
// filled and closed; nothing is encoded twice or moved.
#ifndef DCI_FRAME_H
#define DCI_FRAME_H

#include "queue.h"

#include <dci/dci.pb.h>

struct frame {
    struct queue *queue; // NULL: it lies elsewhere
    u8 *base;
    u32 used;
    u32 outer, inner, body; // marks of the open ServerFrame member, and of its body
    bool overflow;
};

// Begins a frame in prepared space (queue_prepare). body is the field number in Response.body or
// Event.body; body 0: a response without one.
void frame_response(struct frame *frame, struct queue *queue, u32 id, u32 body);
void frame_event(struct frame *frame, struct queue *queue, u32 body);
// An event in other space, of FRAME_BYTES_MAX: it is queued nowhere when it ends.
void frame_event_at(struct frame *frame, u8 *space, u32 body);

// Fields of the message that is open.
void frame_varint(struct frame *frame, u32 field, u64 value);
void frame_fixed64(struct frame *frame, u32 field, u64 value);
void frame_string(struct frame *frame, u32 field, const char *text);
void frame_message(struct frame *frame, const pb_msgdesc_t *type,
                   const void *message); // its fields
void frame_record(struct frame *frame, u32 field, const pb_msgdesc_t *type, const void *message);
void frame_packed(struct frame *frame, u32 field, const u64 *values, u32 count);
void frame_packed_fixed64(struct frame *frame, u32 field, const u64 *values, u32 count);

// A nested message or bytes: mark = frame_open, contents, frame_close(mark).
u32 frame_open(struct frame *frame, u32 field);
void frame_close(struct frame *frame, u32 mark);
void frame_bytes(struct frame *frame, const void *bytes, u32 count);
// Room that is left for bytes written directly; frame_wrote says how many were.
u8 *frame_space(struct frame *frame, u32 *room);
void frame_wrote(struct frame *frame, u32 bytes);

// Completes it: the frame waits in the queue. Returns its length, or 0 when it did not fit: then
// nothing was queued. A frame that is not ended is as if it had never been begun.
u32 frame_end(struct frame *frame);
u32 frame_end_response(struct frame *frame, s64 error, const char *message, bool more);

#endif
