// SPDX-License-Identifier: MIT
// Lists about the trace: its events, and the metadata that describes them to readers.
#include "service.h"
#include "tracing_settings.h"

#include <orrery/sys.h>
#include <string.h>

#define EVENTS_A_FRAME 256

static void add_event(struct frame *frame, const struct sys_trace_event *from)
{
    dci_TraceEvent to = {
        .major = from->major,
        .minor = from->minor,
        .field_count = from->field_count,
    };
    memcpy(to.name, from->name, sizeof(to.name) - 1);
    memcpy(to.group, from->group, sizeof(to.group) - 1);
    memcpy(to.format, from->format, sizeof(to.format) - 1);
    frame_record(frame, dci_TraceEventsReply_events_tag, dci_TraceEvent_fields, &to);
}

static s64 trace_events_step(struct client *client)
{
    struct sys_trace_event event;
    struct frame frame;
    s64 error = 0;

    client_frame_begin(client, &frame, dci_Response_trace_events_tag);
    for (u32 i = 0; i < EVENTS_A_FRAME && error == 0; i++) {
        error = sys_trace_event_get((u32)client->walk.cursor, &event);
        if (error == 0) {
            add_event(&frame, &event);
            client->walk.cursor++;
        }
    }
    if (error != 0 && error != E_NOENT)
        return error;
    client_frame_end(client, &frame, error == 0);
    return error == 0 ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static s64 trace_metadata_step(struct client *client)
{
    struct frame frame;

    s64 bytes =
        sys_trace_metadata(client->walk.cursor, (char *)server_records, sizeof(server_records));
    if (bytes < 0)
        return bytes;
    client->walk.cursor += (u64)bytes;
    client_frame_begin(client, &frame, dci_Response_trace_metadata_tag);
    u32 mark = frame_open(&frame, dci_TraceMetadataReply_text_tag);
    frame_bytes(&frame, server_records, (u32)bytes);
    frame_close(&frame, mark);
    client_frame_end(client, &frame, bytes > 0);
    return bytes > 0 ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static s64 list_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    s64 error = trace_check(client);
    return error != 0 ? error : REQUEST_GOES_ON;
}

static const struct request_kind kinds[] = {
    REQUEST(trace_events, dci_Role_ROLE_OBSERVER, list_begin, trace_events_step),
    REQUEST(trace_metadata, dci_Role_ROLE_OBSERVER, list_begin, trace_metadata_step),
};

const struct service trace_lists_service = {.kinds = kinds, .kind_count = ARRAY_SIZE(kinds)};
