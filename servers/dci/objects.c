// SPDX-License-Identifier: MIT
// Requests about objects: classes, scan, DREF counts. Lists go on from step to step, a frame each.
#include "requests.h"

#include <orrery/sys.h>
#include <string.h>

#define CLASSES_A_FRAME 256

s64 list_begin(struct client *client, const dci_Request *request)
{
    (void)client;
    (void)request;
    return REQUEST_GOES_ON;
}

static void add_class(struct frame *frame, const struct sys_class *from)
{
    dci_ObjectClass to = {
        .class_id = from->class_id,
        .size = from->size,
        .distributed = from->distributed != 0,
        .live = from->live,
    };
    memcpy(to.name, from->name, sizeof(to.name) - 1);
    memcpy(to.implementation, from->implementation, sizeof(to.implementation) - 1);
    frame_record(frame, dci_ClassesReply_classes_tag, dci_ObjectClass_fields, &to);
}

s64 classes_step(struct client *client)
{
    struct sys_class class_info;
    struct frame frame;
    s64 error = 0;

    client_frame_begin(client, &frame, dci_Response_classes_tag);
    for (u32 i = 0; i < CLASSES_A_FRAME && error == 0; i++) {
        error = sys_class_get((u32)client->cursor, &class_info);
        if (error == 0) {
            add_class(&frame, &class_info);
            client->cursor++;
        }
    }
    if (error != 0 && error != E_NOENT)
        return error;
    client_frame_end(client, &frame, error == 0);
    return error == 0 ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static void add_object(struct frame *frame, const struct sys_object *object)
{
    u32 mark = frame_open(frame, dci_ObjectsReply_objects_tag);
    frame_varint(frame, dci_Object_coid_tag, object->coid);
    frame_varint(frame, dci_Object_class_id_tag, object->class_id);
    frame_varint(frame, dci_Object_rep_count_tag, object->rep_count);
    frame_varint(frame, dci_Object_misses_tag, object->misses);
    frame_packed(frame, dci_Object_children_tag, object->children, object->child_count);
    frame_close(frame, mark);
}

s64 objects_step(struct client *client)
{
    struct frame frame;
    u64 time = sys_time();

    s64 bytes = sys_object_scan(&client->cursor, server_records, sizeof(server_records));
    if (bytes < 0)
        return bytes;
    client_frame_begin(client, &frame, dci_Response_objects_tag);
    frame_varint(&frame, dci_ObjectsReply_time_tag, time);
    for (s64 at = 0; at < bytes;) {
        const struct sys_object *object = (const struct sys_object *)(server_records + at);
        add_object(&frame, object);
        at += object->record_bytes;
    }
    client_frame_end(client, &frame, bytes > 0);
    return bytes > 0 ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

s64 dref_enable_begin(struct client *client, const dci_Request *request)
{
    bool on = request->body.dref_enable.on;

    if (on == client->dref)
        return REQUEST_DONE;
    s64 error = sys_dref_enable(on);
    if (error < 0)
        return error;
    client->dref = on;
    return REQUEST_DONE;
}

void dref_release(struct client *client)
{
    if (client->dref)
        sys_dref_enable(false);
    client->dref = false;
}

s64 dref_read_step(struct client *client)
{
    struct frame frame;
    u64 begin = sys_time();

    s64 bytes = sys_dref_read(&client->cursor, server_records, sizeof(server_records));
    if (bytes < 0)
        return bytes;
    client_frame_begin(client, &frame, dci_Response_dref_read_tag);
    frame_varint(&frame, dci_DrefReadReply_begin_tag, begin);
    frame_varint(&frame, dci_DrefReadReply_end_tag, sys_time());
    const struct sys_dref_count *counts = (const struct sys_dref_count *)server_records;
    for (u64 i = 0; i < (u64)bytes / sizeof(*counts); i++) {
        dci_DrefCount count = {
            .coid = counts[i].coid,
            .cpu = counts[i].cpu,
            .invocations = counts[i].invocations,
            .misses = counts[i].misses,
        };
        frame_record(&frame, dci_DrefReadReply_counts_tag, dci_DrefCount_fields, &count);
    }
    client_frame_end(client, &frame, bytes > 0);
    return bytes > 0 ? REQUEST_GOES_ON : REQUEST_REPLIED;
}
