// SPDX-License-Identifier: MIT
// Requests about programs that clients run. While a client's queue is full, its program's output is
// not read. So the program has to wait, and nothing is lost.
#include "programs.h"
#include "service.h"

#include <orrery/sys.h>
#include <string.h>

struct run {
    struct client *client; // NULL: the slot is free
    struct program *program;
    u32 number;
    u32 pid; // 0: not started
    u64 uploaded;
    u64 changed; // time of the open or of the last upload
};

static struct run runs[RUNS_MAX];
static u32 last_number;

static struct run *find(const struct client *client, u32 number)
{
    for (u32 i = 0; i < RUNS_MAX; i++)
        if (runs[i].client == client && runs[i].number == number)
            return &runs[i];
    return NULL;
}

static void drop(struct run *run)
{
    program_close(run->program);
    *run = (struct run){0};
}

static u32 runs_of(const struct client *client)
{
    u32 count = 0;

    for (u32 i = 0; i < RUNS_MAX; i++)
        count += runs[i].client == client;
    return count;
}

static void runs_release(struct client *client)
{
    for (u32 i = 0; i < RUNS_MAX; i++)
        if (runs[i].client == client)
            drop(&runs[i]);
}

// ---- requests ----------------------------------------------------------------------------------

static s64 run_open_begin(struct client *client, const dci_Request *request)
{
    struct run *run = find(NULL, 0);

    (void)request;
    if (run == NULL)
        return client_error(client, E_LIMIT, "%d programs run already", RUNS_MAX);
    if (runs_of(client) == CLIENT_RUNS_MAX)
        return client_error(client, E_LIMIT, "%d programs of this client run already",
                            CLIENT_RUNS_MAX);
    s64 error = program_open(&run->program);
    if (error != 0)
        return error;
    run->client = client;
    run->number = ++last_number;
    run->changed = sys_time();
    dci_RunOpenReply reply = {.run = run->number};
    client_reply(client, dci_Response_run_open_tag, dci_RunOpenReply_fields, &reply);
    return REQUEST_REPLIED;
}

static struct run *find_or_say(struct client *client, u32 number)
{
    struct run *run = find(client, number);

    if (run == NULL)
        client_error(client, E_NOENT, "no run %u of this client", (unsigned)number);
    return run;
}

// Returns the bytes of all programs that have not started: they are in this server's memory.
static u64 bytes_uploaded(void)
{
    u64 bytes = 0;

    for (u32 i = 0; i < RUNS_MAX; i++)
        if (runs[i].client != NULL && runs[i].pid == 0)
            bytes += runs[i].uploaded;
    return bytes;
}

static s64 upload(struct client *client, struct run *run, const dci_RunUploadRequest *body)
{
    if (body->data.size > UPLOAD_BYTES_MAX - run->uploaded)
        return client_error(client, E_LIMIT, "the program is longer than %d bytes",
                            UPLOAD_BYTES_MAX);
    if (bytes_uploaded() + body->data.size > UPLOADS_BYTES_MAX)
        return client_error(client, E_LIMIT, "programs of %d bytes wait to be started already",
                            UPLOADS_BYTES_MAX);
    return program_upload(run->program, body->data.bytes, body->data.size);
}

static s64 run_upload_begin(struct client *client, const dci_Request *request)
{
    const dci_RunUploadRequest *body = &request->body.run_upload;
    struct run *run = find_or_say(client, body->run);

    if (run == NULL)
        return E_NOENT;
    if (run->pid != 0)
        return client_error(client, E_INVAL, "the program runs already");
    s64 error = upload(client, run, body);
    if (error < 0) {
        drop(run);
        return error;
    }
    run->uploaded += body->data.size;
    run->changed = sys_time();
    return REQUEST_DONE;
}

static s64 refuse_start(struct client *client, const dci_RunStartRequest *body, s64 error)
{
    const char *why = orrery_strerror(error);

    if (body->stack_bytes == 0)
        return client_error(client, error, "cannot start %.64s: %s", body->program, why);
    return client_error(client, error, "cannot start %.64s with a stack of %llu bytes: %s",
                        body->program, (unsigned long long)body->stack_bytes, why);
}

static s64 run_start_begin(struct client *client, const dci_Request *request)
{
    const dci_RunStartRequest *body = &request->body.run_start;
    const char *arguments[1 + ARRAY_SIZE(body->arguments)] = {body->program};
    struct run *run = find_or_say(client, body->run);

    if (run == NULL)
        return E_NOENT;
    if (run->pid != 0)
        return client_error(client, E_INVAL, "the program runs already");
    if (body->program[0] == 0)
        return client_error(client, E_INVAL, "the program has no name");
    for (u32 i = 0; i < body->arguments_count; i++)
        arguments[1 + i] = body->arguments[i];
    s64 pid = program_start(run->program, body->program, body->stack_bytes,
                            1 + body->arguments_count, arguments);
    if (pid < 0) {
        drop(run);
        return refuse_start(client, body, pid);
    }
    run->pid = (u32)pid;
    dci_RunStartReply reply = {.pid = run->pid};
    client_reply(client, dci_Response_run_start_tag, dci_RunStartReply_fields, &reply);
    return REQUEST_REPLIED;
}

static s64 run_input_begin(struct client *client, const dci_Request *request)
{
    const dci_RunInputRequest *body = &request->body.run_input;
    struct run *run = find_or_say(client, body->run);

    if (run == NULL)
        return E_NOENT;
    if (run->pid == 0)
        return client_error(client, E_INVAL, "the program has not been started");
    s64 taken = program_write(run->program, body->data.bytes, body->data.size);
    if (taken < 0)
        return taken;
    if (body->end && taken == body->data.size)
        program_end_input(run->program);
    dci_RunInputReply reply = {.taken = (u32)taken};
    client_reply(client, dci_Response_run_input_tag, dci_RunInputReply_fields, &reply);
    return REQUEST_REPLIED;
}

// ---- pushes ------------------------------------------------------------------------------------

// Pushes one frame of output. Returns 1, 0 if there is none now, E_PEER at its end, or E_AGAIN if
// there is no room.
static s64 push_output(struct run *run)
{
    struct frame frame;
    u32 room;

    if (!client_push_begin(run->client, &frame, dci_Event_run_output_tag))
        return E_AGAIN;
    frame_varint(&frame, dci_RunOutput_run_tag, run->number);
    u32 mark = frame_open(&frame, dci_RunOutput_data_tag);
    u8 *space = frame_space(&frame, &room);
    s64 bytes = program_read(run->program, space, OUTPUT_BYTES_MAX);
    if (bytes <= 0)
        return bytes;
    frame_wrote(&frame, (u32)bytes);
    frame_close(&frame, mark);
    client_push_end(run->client, &frame);
    return 1;
}

static void push_end(struct run *run)
{
    struct frame frame;
    dci_RunEnded ended = {.run = run->number};

    if (!program_ended(run->program, &ended.status) ||
        !client_push_begin(run->client, &frame, dci_Event_run_ended_tag))
        return;
    frame_message(&frame, dci_RunEnded_fields, &ended);
    client_push_end(run->client, &frame);
    drop(run);
}

// Gives up a program whose upload has not gone on for a while. Returns the time of that if it is
// still to come, else UINT64_MAX.
static u64 look_after_upload(struct run *run, u64 now)
{
    u64 end = run->changed + server_ticks(UPLOAD_SECONDS * 1000);

    if (now < end)
        return end;
    drop(run);
    return UINT64_MAX;
}

static u64 runs_work(u64 now)
{
    u64 next = UINT64_MAX;

    for (u32 i = 0; i < RUNS_MAX; i++) {
        struct run *run = &runs[i];
        if (run->client == NULL)
            continue;
        if (run->pid == 0) {
            u64 end = look_after_upload(run, now);
            next = end < next ? end : next;
            continue;
        }
        s64 result = push_output(run);
        if (result == E_PEER)
            push_end(run);
        u64 again = result == 1 ? now : now + server_ticks(OUTPUT_INTERVAL_MS);
        next = again < next ? again : next;
    }
    return next;
}

static const struct request_kind kinds[] = {
    REQUEST(run_open, dci_Role_ROLE_CONTROLLER, run_open_begin, NULL),
    REQUEST(run_upload, dci_Role_ROLE_CONTROLLER, run_upload_begin, NULL),
    REQUEST(run_start, dci_Role_ROLE_CONTROLLER, run_start_begin, NULL),
    REQUEST(run_input, dci_Role_ROLE_CONTROLLER, run_input_begin, NULL),
};

const struct service runs_service = {.kinds = kinds,
                                     .kind_count = ARRAY_SIZE(kinds),
                                     .work = runs_work,
                                     .release = runs_release,
                                     .held_by = runs_of};
