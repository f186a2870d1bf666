// SPDX-License-Identifier: MIT
// Builds one ServerFrame in place at the tail of a client's queue. Nested messages are opened,
// filled and closed. Nothing is encoded twice or moved.
#ifndef DCI_FRAME_H
#define DCI_FRAME_H

#include "queue.h"

#include <dci/dci.pb.h>

struct frame {
    struct queue *queue; // NULL: the frame lies elsewhere
    u8 *base;
    u32 used;         // bytes
    u32 outer, inner; // marks of the open ServerFrame member, and of its body
    u32 body;         // field number of the body; 0: none
    bool overflow;    // something did not fit: the frame is lost
};

// Begin a frame in prepared space (queue_prepare). body: the field number in Response.body or
// Event.body. 0: a response without a body.
void frame_response(struct frame *frame, struct queue *queue, u32 id, u32 body);
void frame_event(struct frame *frame, struct queue *queue, u32 body);
// Begins an event in other space, of FRAME_BYTES_MAX. frame_end does not queue it.
void frame_event_at(struct frame *frame, u8 *space, u32 body);

// Add fields to the open message. Zero values and empty texts are left out.
void frame_varint(struct frame *frame, u32 field, u64 value);
void frame_sint(struct frame *frame, u32 field, s64 value); // sint32, sint64
void frame_fixed64(struct frame *frame, u32 field, u64 value);
void frame_string(struct frame *frame, u32 field, const char *text);
// Adds the text of an array of `room` chars, without its last one. It may lack a zero.
void frame_text(struct frame *frame, u32 field, const char *text, u32 room);
void frame_message(struct frame *frame, const pb_msgdesc_t *type, const void *message);
void frame_record(struct frame *frame, u32 field, const pb_msgdesc_t *type, const void *message);
void frame_packed(struct frame *frame, u32 field, const u64 *values, u32 count);
void frame_packed_fixed64(struct frame *frame, u32 field, const u64 *values, u32 count);

// Add a nested message or bytes: mark = frame_open(field), then the contents, then
// frame_close(mark).
u32 frame_open(struct frame *frame, u32 field);
void frame_close(struct frame *frame, u32 mark);
void frame_bytes(struct frame *frame, const void *bytes, u32 count);
// Returns the place for bytes that the caller writes itself, and sets *room to how many fit. The
// caller then tells frame_wrote how many it has written.
u8 *frame_space(struct frame *frame, u32 *room);
void frame_wrote(struct frame *frame, u32 bytes);

// Complete the frame and queue it. They return its length in bytes, or 0 if something did not fit:
// then nothing is queued. A frame that is not ended leaves no trace.
u32 frame_end(struct frame *frame);
u32 frame_end_response(struct frame *frame, s64 error, const char *message, bool more);

#endif
