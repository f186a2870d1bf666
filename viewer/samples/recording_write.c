// SPDX-License-Identifier: MIT
// Writes a recording: the machine's frames as they come.
#include "samples/recording.h"
#include "wire/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void write_bytes(struct recording_writer *writer, const void *bytes, size_t size)
{
    if (writer->error != 0)
        return;
    if (fwrite(bytes, 1, size, writer->out.file) != size)
        writer->error = errno;
    writer->bytes += size;
}

static void write_frame(struct recording_writer *writer, const u8 *payload, size_t size)
{
    u8 header[FRAME_HEADER_BYTES];
    frame_encode_length(header, (u32)size);
    write_bytes(writer, header, sizeof(header));
    write_bytes(writer, payload, size);
}

static void write_request(struct recording_writer *writer, const struct sampling_request *wanted)
{
    struct sampling_message message;
    sampling_fill(&message, wanted);
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_SAMPLING_START;
    request.sampling_start = &message.body;
    u8 *packed = memory_get(orrery__dci__request__get_packed_size(&request));
    write_frame(writer, packed, orrery__dci__request__pack(&request, packed));
    free(packed);
}

// Writes the names of the events in the machine's form. The machine's own list has all events, and
// it came before there was a file.
static void write_names(struct recording_writer *writer, const struct sampled_events *events)
{
    Orrery__Dci__PmuEventInfo infos[SAMPLED_EVENTS_MAX], *pointers[SAMPLED_EVENTS_MAX];
    Orrery__Dci__PmuEventsReply reply = ORRERY__DCI__PMU_EVENTS_REPLY__INIT;
    reply.events = pointers;
    for (u32 i = 0; i < events->count; i++) {
        if (events->events[i].event < SAMPLED_MODEL)
            continue;
        Orrery__Dci__PmuEventInfo *info = &infos[reply.n_events];
        *info = (Orrery__Dci__PmuEventInfo)ORRERY__DCI__PMU_EVENT_INFO__INIT;
        info->event = events->events[i].event - SAMPLED_MODEL;
        info->name = (char *)events->events[i].name;
        pointers[reply.n_events++] = info;
    }
    dci_response response = ORRERY__DCI__RESPONSE__INIT;
    response.body_case = ORRERY__DCI__RESPONSE__BODY_PMU_EVENTS;
    response.pmu_events = &reply;
    dci_frame frame = ORRERY__DCI__SERVER_FRAME__INIT;
    frame.frame_case = ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE;
    frame.response = &response;
    u8 *packed = memory_get(orrery__dci__server_frame__get_packed_size(&frame));
    write_frame(writer, packed, orrery__dci__server_frame__pack(&frame, packed));
    free(packed);
}

int recording_create(struct recording_writer *writer, const char *path,
                     const struct sampling_request *request)
{
    *writer = (struct recording_writer){0};
    int code = out_file_open(&writer->out, path);
    if (code != KOV_OK)
        return code;
    write_bytes(writer, RECORDING_MAGIC, RECORDING_MAGIC_BYTES);
    write_request(writer, request);
    write_names(writer, &request->events);
    return KOV_OK;
}

static bool belongs(const dci_frame *frame)
{
    if (frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT)
        return frame->event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLES ||
               frame->event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLING_CHANGED;
    if (frame->frame_case != ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE)
        return false;
    switch (frame->response->body_case) {
    case ORRERY__DCI__RESPONSE__BODY_SYSTEM:
    case ORRERY__DCI__RESPONSE__BODY_PROCESSES:
    case ORRERY__DCI__RESPONSE__BODY_SAMPLING_START:
    case ORRERY__DCI__RESPONSE__BODY_CLASSES:
    case ORRERY__DCI__RESPONSE__BODY_OBJECTS:
    case ORRERY__DCI__RESPONSE__BODY_SAMPLING_STOP:
        return true;
    default:
        return false;
    }
}

void recording_tap(void *context, const struct bytes *payload, const dci_frame *frame)
{
    if (belongs(frame))
        write_frame(context, payload->data, payload->size);
}

static int check_written(const struct recording_writer *writer)
{
    if (writer->error == 0)
        return KOV_OK;
    return fail(KOV_FAILED, "cannot write all of %s: %s",
                writer->out.path == NULL ? "the output" : writer->out.path,
                strerror(writer->error));
}

int recording_keep(struct recording_writer *writer)
{
    int code = check_written(writer);
    return code == KOV_OK ? out_file_place(&writer->out, true) : code;
}

int recording_finish(struct recording_writer *writer, int code)
{
    if (code == KOV_OK)
        code = recording_keep(writer);
    return out_file_close(&writer->out, code);
}
