// SPDX-License-Identifier: MIT
// Requests about objects: classes and scan, of the kernel and of processes. Lists go on from step to
// step, a frame each, in which all is of one process.
#include "ask.h"
#include "requests.h"
#include "scope.h"

#include <orrery/monitor.h>
#include <orrery/sys.h>
#include <string.h>

#define CLASSES_A_FRAME 256

s64 list_begin(struct client *client, const dci_Request *request)
{
    (void)client;
    (void)request;
    return REQUEST_GOES_ON;
}

// ---- classes -----------------------------------------------------------------------------------

static void add_class(struct frame *frame, u32 field, const struct sys_class *from)
{
    dci_ObjectClass to = {
        .class_id = from->class_id,
        .size = from->size,
        .distributed = from->distributed != 0,
        .live = from->live,
    };
    memcpy(to.name, from->name, sizeof(to.name) - 1);
    memcpy(to.implementation, from->implementation, sizeof(to.implementation) - 1);
    frame_record(frame, field, dci_ObjectClass_fields, &to);
}

// Class number client->cursor of the list's process: 0, E_NOENT past the last, or an error.
static s64 get_class(struct client *client, struct sys_class *class_info)
{
    const u64 arguments[4] = {client->cursor};
    struct answer answer;

    if (client->pid == 0)
        return sys_class_get((u32)client->cursor, class_info);
    s64 result = ask(client, client->pid, MONITOR_CLASS, arguments, &answer);
    if (result < 0)
        return result;
    if (result != sizeof(*class_info))
        return result == 0 ? E_NOENT : E_NOTSUP;
    memcpy(class_info, answer.bytes, sizeof(*class_info));
    return 0;
}

// Classes of the list's process into an open frame: 1 when there may be more, 0 at the end, or an
// error.
static s64 add_classes(struct client *client, struct frame *frame, u32 field)
{
    // An answer may take time, and a frame cannot stay open meanwhile: one by one then.
    u32 count = client->pid == 0 ? CLASSES_A_FRAME : 1;
    struct sys_class class_info;

    for (u32 i = 0; i < count; i++) {
        s64 error = get_class(client, &class_info);
        if (error == E_NOENT && (client->cursor > 0 || client->pid == 0))
            return 0;
        if (error != 0)
            return error;
        add_class(frame, field, &class_info);
        client->cursor++;
    }
    return 1;
}

s64 classes_begin(struct client *client, const dci_Request *request)
{
    const dci_ClassesRequest *wish = &request->body.classes;
    s64 error = scope_begin(client, wish->scope, wish->pid);
    return error != 0 ? error : REQUEST_GOES_ON;
}

s64 classes_step(struct client *client)
{
    struct frame frame;

    client_frame_begin(client, &frame, dci_Response_classes_tag);
    frame_varint(&frame, dci_ClassesReply_pid_tag, client->pid);
    s64 result = add_classes(client, &frame, dci_ClassesReply_classes_tag);
    if (result == E_AGAIN)
        return REQUEST_WAITS;
    if (result <= 0)
        return scope_conclude(client, &frame, dci_ClassesReply_failure_tag, result);
    client_frame_end(client, &frame, true);
    return REQUEST_GOES_ON;
}

// ---- objects -----------------------------------------------------------------------------------

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

// Is there a whole record at the front? Records of processes are theirs to spoil.
static bool record_is_sound(const struct sys_object *object, u64 left)
{
    return left >= sizeof(*object) && object->record_bytes <= left &&
           object->record_bytes % 8 == 0 &&
           object->record_bytes >= sizeof(*object) + object->child_count * sizeof(coid_t);
}

static void add_objects(struct frame *frame, const u8 *records, u64 bytes)
{
    while (bytes > 0) {
        const struct sys_object *object = (const struct sys_object *)records;
        if (!record_is_sound(object, bytes))
            return;
        add_object(frame, object);
        records += object->record_bytes;
        bytes -= object->record_bytes;
    }
}

// The next records of the list's process: bytes, 0 at the end, or an error.
static s64 get_objects(struct client *client, const u8 **records)
{
    const u64 arguments[4] = {client->cursor, sizeof(server_records)};
    struct answer answer;

    *records = server_records;
    if (client->pid == 0)
        return sys_object_scan(&client->cursor, server_records, sizeof(server_records));
    s64 result = ask(client, client->pid, MONITOR_SCAN, arguments, &answer);
    if (result >= 0) {
        *records = answer.bytes;
        client->cursor = answer.results[0];
    }
    return result;
}

s64 objects_begin(struct client *client, const dci_Request *request)
{
    const dci_ObjectsRequest *wish = &request->body.objects;
    s64 error = scope_begin(client, wish->scope, wish->pid);
    client->with_classes = wish->classes;
    return error != 0 ? error : REQUEST_GOES_ON;
}

static s64 objects_classes_step(struct client *client, struct frame *frame)
{
    s64 result = add_classes(client, frame, dci_ObjectsReply_classes_tag);

    if (result == E_AGAIN)
        return REQUEST_WAITS;
    if (result < 0)
        return scope_conclude(client, frame, dci_ObjectsReply_failure_tag, result);
    if (result == 0) {
        client->classes_done = true;
        client->cursor = 0;
    }
    client_frame_end(client, frame, true);
    return REQUEST_GOES_ON;
}

s64 objects_step(struct client *client)
{
    struct frame frame;
    const u8 *records;
    u64 time = sys_time();

    client_frame_begin(client, &frame, dci_Response_objects_tag);
    frame_varint(&frame, dci_ObjectsReply_time_tag, time);
    frame_varint(&frame, dci_ObjectsReply_pid_tag, client->pid);
    if (client->with_classes && !client->classes_done)
        return objects_classes_step(client, &frame);
    s64 bytes = get_objects(client, &records);
    if (bytes == E_AGAIN)
        return REQUEST_WAITS;
    if (bytes <= 0)
        return scope_conclude(client, &frame, dci_ObjectsReply_failure_tag, bytes);
    add_objects(&frame, records, (u64)bytes);
    client_frame_end(client, &frame, true);
    return REQUEST_GOES_ON;
}
