// SPDX-License-Identifier: MIT
// Records a machine. It leaves out the token, and requests of no use to a player with their
// answers.
#include "gateway/recorder.h"
#include "tools/clock.h"
#include "tools/kov.h"
#include "wire/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct recorder {
    struct tape_writer tape;
    double begin; // clock_now()
    u32 asked;    // id of the last request that is recorded
    bool greets;  // that request is a hello
    bool connected;
};

struct recorder *recorder_new(const char *path, const char *machine)
{
    struct recorder *recorder = memory_get(sizeof(*recorder));
    if (tape_create(&recorder->tape, path, machine) == KOV_OK) {
        recorder->begin = clock_now();
        return recorder;
    }
    free(recorder);
    return NULL;
}

void recorder_free(struct recorder *recorder)
{
    if (recorder == NULL)
        return;
    tape_finish(&recorder->tape);
    free(recorder);
}

static void write_record(struct recorder *recorder, enum tape_kind kind, const void *payload,
                         size_t size)
{
    u64 time = (u64)((clock_now() - recorder->begin) * 1e9);
    int error = tape_write(&recorder->tape, kind, time, payload, size);
    if (error != 0)
        warn("the recording ends here: %s",
             error == EOVERFLOW ? "no tape is longer than 30 days" : strerror(error));
}

static void write_request(struct recorder *recorder, dci_request request)
{
    request.id = 0;
    u8 *packed = memory_get(orrery__dci__request__get_packed_size(&request) + 1);
    write_record(recorder, TAPE_REQUEST, packed, orrery__dci__request__pack(&request, packed));
    free(packed);
}

static bool is_of_use(const dci_request *request)
{
    switch (request->body_case) {
    case ORRERY__DCI__REQUEST__BODY_SERVER_STAT:
    case ORRERY__DCI__REQUEST__BODY_OBJECTS:
    case ORRERY__DCI__REQUEST__BODY_SAMPLING_START:
    case ORRERY__DCI__REQUEST__BODY_SAMPLING_STOP:
    case ORRERY__DCI__REQUEST__BODY_SAMPLING_STAT:
    case ORRERY__DCI__REQUEST__BODY_PMU_EVENTS:
    case ORRERY__DCI__REQUEST__BODY_COUNT_START:
    case ORRERY__DCI__REQUEST__BODY_COUNT_READ:
    case ORRERY__DCI__REQUEST__BODY_WORKLOADS:
    case ORRERY__DCI__REQUEST__BODY_WORKLOAD_START:
    case ORRERY__DCI__REQUEST__BODY_WORKLOAD_STATUS:
    case ORRERY__DCI__REQUEST__BODY_WORKLOAD_RUNS:
    case ORRERY__DCI__REQUEST__BODY_PROCESSES:
    case ORRERY__DCI__REQUEST__BODY_REGIONS:
    case ORRERY__DCI__REQUEST__BODY_CONSOLE_ATTACH:
        return true;
    default:
        return false;
    }
}

// The trace of calls comes only while somebody looks, and would make a tape long.
static bool is_recorded(const Orrery__Dci__Event *event)
{
    switch (event->body_case) {
    case ORRERY__DCI__EVENT__BODY_PACKET:
    case ORRERY__DCI__EVENT__BODY_TRACE_BEGAN:
    case ORRERY__DCI__EVENT__BODY_TRACE_ENDED:
    case ORRERY__DCI__EVENT__BODY_TRACE_MISSED:
        return false;
    default:
        return true;
    }
}

// Takes a request. A hello waits for its answer, since an attempt at a machine that is not there is
// no connection.
static void take_request(void *context, const dci_request *request)
{
    struct recorder *recorder = context;
    bool greets = request->body_case == ORRERY__DCI__REQUEST__BODY_HELLO;
    if (!greets && !is_of_use(request))
        return;
    recorder->greets = greets;
    recorder->asked = request->id;
    if (!greets)
        write_request(recorder, *request);
}

static void take_frame(void *context, const struct bytes *payload, const dci_frame *frame)
{
    struct recorder *recorder = context;
    bool answer = frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE &&
                  frame->response->id == recorder->asked;
    if (answer && recorder->greets &&
        frame->response->body_case == ORRERY__DCI__RESPONSE__BODY_HELLO) {
        Orrery__Dci__HelloRequest hello = ORRERY__DCI__HELLO_REQUEST__INIT;
        hello.version = SESSION_PROTOCOL_VERSION;
        write_request(recorder, *DCI_REQUEST(HELLO, hello, &hello));
        recorder->connected = true;
    }
    if (recorder->connected &&
        (answer || (frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT &&
                    is_recorded(frame->event))))
        write_record(recorder, TAPE_FRAME, payload->data, payload->size);
}

void recorder_attach(struct recorder *recorder)
{
    dci_on_request(take_request, recorder);
    dci_on_frame(take_frame, recorder);
}

void recorder_lost(struct recorder *recorder)
{
    if (recorder->connected)
        write_record(recorder, TAPE_LOST, NULL, 0);
    recorder->connected = false;
}

const struct tape_writer *recorder_account(const struct recorder *recorder)
{
    return &recorder->tape;
}
