// SPDX-License-Identifier: MIT
// Requests about classes and objects of the kernel and of processes. Each step of a list adds a
// frame, which is about one process.
#include "round.h"
#include "scope.h"
#include "service.h"

#include <orrery/inspect.h>
#include <orrery/sys.h>
#include <string.h>

#define CLASSES_A_FRAME 256

static s64 begin(struct client *client, dci_Scope scope, u32 pid, const struct round_kind *kind)
{
    s64 error = scope_begin(client, scope, pid);
    if (error != 0)
        return error;
    client->walk.round = round_begin(kind, scope, pid);
    return client->walk.round != NULL ? REQUEST_GOES_ON : E_NOMEM;
}

// ---- records -----------------------------------------------------------------------------------

static void add_class(struct frame *frame, u32 field, const struct sys_class *from)
{
    u64 swaps[SYS_CLASS_SWAPS];
    u32 swaps_count = 0;

    while (swaps_count < SYS_CLASS_SWAPS && from->swaps[swaps_count] != 0) {
        swaps[swaps_count] = from->swaps[swaps_count];
        swaps_count++;
    }
    u32 mark = frame_open(frame, field);
    frame_varint(frame, dci_ObjectClass_class_id_tag, from->class_id);
    frame_text(frame, dci_ObjectClass_name_tag, from->name, sizeof(from->name));
    frame_text(frame, dci_ObjectClass_implementation_tag, from->implementation,
               sizeof(from->implementation));
    frame_varint(frame, dci_ObjectClass_size_tag, from->size);
    frame_varint(frame, dci_ObjectClass_distributed_tag, from->distributed != 0);
    frame_varint(frame, dci_ObjectClass_live_tag, from->live);
    frame_packed(frame, dci_ObjectClass_swaps_tag, swaps, swaps_count);
    frame_close(frame, mark);
}

static void add_object(struct frame *frame, const struct sys_object *object, const coid_t *children)
{
    u32 mark = frame_open(frame, dci_ObjectsReply_objects_tag);
    frame_varint(frame, dci_Object_coid_tag, object->coid);
    frame_varint(frame, dci_Object_class_id_tag, object->class_id);
    frame_varint(frame, dci_Object_rep_count_tag, object->rep_count);
    frame_varint(frame, dci_Object_misses_tag, object->misses);
    frame_varint(frame, dci_Object_swaps_tag, object->swaps);
    frame_packed(frame, dci_Object_children_tag, children, object->child_count);
    frame_close(frame, mark);
}

static void add_objects(struct frame *frame, const u8 *bytes, u64 count)
{
    struct answer_bytes records = {bytes, count};
    const coid_t *children;
    struct sys_object object;

    while (answer_next_object(&records, &object, &children))
        add_object(frame, &object, children);
}

// ---- of processes ------------------------------------------------------------------------------

enum part { PART_CLASSES, PART_OBJECTS };

static u32 ask_objects(const struct round *round, const struct visit *visit, u64 arguments[4],
                       u32 *room)
{
    (void)round;
    arguments[0] = visit->cursor;
    arguments[1] = *room;
    return INSPECT_SCAN;
}

static enum answer_flaw check_objects(struct visit *visit, u64 now)
{
    const struct question *question = visit->question;

    (void)now;
    return answer_check_objects(question->bytes, question->answer.status, visit->room,
                                &visit->place);
}

// The classes, and in a round of both the objects after them.
static u32 ask_part(const struct round *round, const struct visit *visit, u64 arguments[4],
                    u32 *room)
{
    u32 operation = ask_objects(round, visit, arguments, room);
    return visit->part == PART_CLASSES ? INSPECT_CLASS : operation;
}

static enum answer_flaw check_part(struct visit *visit, u64 now)
{
    const struct question *question = visit->question;

    if (visit->part == PART_OBJECTS)
        return check_objects(visit, now);
    return answer_check_classes(question->bytes, question->answer.status, visit->room,
                                &visit->place);
}

static const struct round_kind classes_kind = {.ask = ask_part, .check = check_part, .lists = 1};
static const struct round_kind objects_kind = {
    .ask = ask_objects, .check = check_objects, .lists = 1};
static const struct round_kind both_kind = {.ask = ask_part, .check = check_part, .lists = 2};

static void add_answered_classes(struct frame *frame, u32 field, const struct visit *visit)
{
    struct sys_class class_info;

    if (visit->failure.error != 0)
        return;
    struct answer_bytes records = {visit->question->bytes, visit->question->count};
    while (answer_next_class(&records, &class_info))
        add_class(frame, field, &class_info);
}

// ---- classes -----------------------------------------------------------------------------------

// Adds classes of the kernel to an open frame. Returns true if there may be more.
static bool add_kernel_classes(struct client *client, struct frame *frame, u32 field)
{
    struct sys_class class_info;

    for (u32 i = 0; i < CLASSES_A_FRAME; i++) {
        if (sys_class_get((u32)client->walk.cursor, &class_info) != 0)
            return false;
        add_class(frame, field, &class_info);
        client->walk.cursor++;
    }
    return true;
}

static s64 classes_begin(struct client *client, const dci_Request *request)
{
    const dci_ClassesRequest *body = &request->body.classes;

    return begin(client, body->scope, body->pid, &classes_kind);
}

// Ends a frame about the kernel. more: the kernel's part goes on.
static s64 end_kernel_frame(struct client *client, struct frame *frame, bool more)
{
    client->walk.kernel_done = !more;
    more |= client->walk.scope == dci_Scope_SCOPE_ALL;
    client_frame_end(client, frame, more);
    return more ? REQUEST_GOES_ON : REQUEST_REPLIED;
}

static s64 classes_step(struct client *client)
{
    struct visit *visit = round_next(client->walk.round);
    struct frame frame;

    if (client->walk.kernel_done && visit == NULL)
        return scope_wait(client, dci_Response_classes_tag);
    client_frame_begin(client, &frame, dci_Response_classes_tag);
    if (!client->walk.kernel_done) {
        bool more = add_kernel_classes(client, &frame, dci_ClassesReply_classes_tag);
        return end_kernel_frame(client, &frame, more);
    }
    frame_varint(&frame, dci_ClassesReply_pid_tag, visit->pid);
    add_answered_classes(&frame, dci_ClassesReply_classes_tag, visit);
    return scope_conclude(client, &frame, dci_ClassesReply_failure_tag, visit);
}

// ---- objects -----------------------------------------------------------------------------------

static bool classes_done[SLOTS_MAX]; // the client has the kernel's classes

static s64 objects_begin(struct client *client, const dci_Request *request)
{
    const dci_ObjectsRequest *body = &request->body.objects;

    classes_done[client_slot(client)] = !body->classes;
    return begin(client, body->scope, body->pid, body->classes ? &both_kind : &objects_kind);
}

// Adds a part of the kernel: its classes, then its objects, as many as fit a frame.
static s64 objects_kernel_step(struct client *client, struct frame *frame)
{
    bool *done = &classes_done[client_slot(client)];

    if (!*done) {
        *done = !add_kernel_classes(client, frame, dci_ObjectsReply_classes_tag);
        if (*done)
            client->walk.cursor = 0;
        return end_kernel_frame(client, frame, true);
    }
    s64 bytes = sys_object_scan(&client->walk.cursor, server_records, sizeof(server_records));
    if (bytes < 0)
        return bytes;
    add_objects(frame, server_records, (u64)bytes);
    return end_kernel_frame(client, frame, bytes > 0);
}

static s64 objects_step(struct client *client)
{
    struct visit *visit = round_next(client->walk.round);
    struct frame frame;

    if (client->walk.kernel_done && visit == NULL)
        return scope_wait(client, dci_Response_objects_tag);
    client_frame_begin(client, &frame, dci_Response_objects_tag);
    bool answered = client->walk.kernel_done && visit->failure.error == 0;
    frame_varint(&frame, dci_ObjectsReply_time_tag,
                 answered ? visit->question->answer.time : sys_time());
    if (!client->walk.kernel_done)
        return objects_kernel_step(client, &frame);
    frame_varint(&frame, dci_ObjectsReply_pid_tag, visit->pid);
    bool classes = client->walk.round->kind == &both_kind && visit->part == PART_CLASSES;
    if (classes)
        add_answered_classes(&frame, dci_ObjectsReply_classes_tag, visit);
    else if (answered)
        add_objects(&frame, visit->question->bytes, visit->question->count);
    return scope_conclude(client, &frame, dci_ObjectsReply_failure_tag, visit);
}

// ---- swaps -------------------------------------------------------------------------------------

static s64 swap_begin(struct client *client, const dci_Request *request)
{
    const dci_ObjectSwapRequest *body = &request->body.object_swap;
    struct sys_swap swap = {.coid = body->coid, .microseconds = body->microseconds};
    char message[sizeof(client->message)] = "";

    if (body->pid != 0)
        return client_error(client, E_NOTSUP, "only objects of the kernel can be swapped");
    memcpy(swap.implementation, body->implementation, sizeof(swap.implementation) - 1);
    s64 error = sys_object_swap(&swap, message, sizeof(message));
    return error < 0 ? client_error(client, error, "%s", message) : REQUEST_DONE;
}

static const struct request_kind kinds[] = {
    REQUEST(classes, dci_Role_ROLE_OBSERVER, classes_begin, classes_step),
    REQUEST(objects, dci_Role_ROLE_OBSERVER, objects_begin, objects_step),
    REQUEST(object_swap, dci_Role_ROLE_CONTROLLER, swap_begin, NULL),
};

const struct service objects_service = {.kinds = kinds, .kind_count = ARRAY_SIZE(kinds)};
