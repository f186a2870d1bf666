// SPDX-License-Identifier: MIT
// Writing a recording: frames as they come from the machine.
#include "frame.h"
#include "recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void write_frame(struct recording_writer *writer, const u8 *payload, size_t size)
{
    u8 header[FRAME_HEADER_BYTES];
    frame_encode_length(header, (u32)size);
    fwrite(header, 1, sizeof(header), writer->file);
    fwrite(payload, 1, size, writer->file);
    writer->bytes += sizeof(header) + size;
}

static void write_request(struct recording_writer *writer, const struct sampling_request *wanted)
{
    Orrery__Dci__SamplingStartRequest body = ORRERY__DCI__SAMPLING_START_REQUEST__INIT;
    body.event = ORRERY__DCI__PMU_EVENT__PMU_EVENT_CYCLES;
    body.callers = wanted->callers;
    body.period = wanted->period;
    body.randomise = wanted->randomise;
    body.cpu_mask = wanted->cpu_mask;
    dci_request request = ORRERY__DCI__REQUEST__INIT;
    request.body_case = ORRERY__DCI__REQUEST__BODY_SAMPLING_START;
    request.sampling_start = &body;
    u8 *packed = memory_get(orrery__dci__request__get_packed_size(&request));
    write_frame(writer, packed, orrery__dci__request__pack(&request, packed));
    free(packed);
}

int recording_create(struct recording_writer *writer, const char *path,
                     const struct sampling_request *request)
{
    *writer = (struct recording_writer){.file = fopen(path, "wb"), .path = path};
    if (writer->file == NULL)
        return fail(KOV_FAILED, "cannot write %s: %s", path, strerror(errno));
    fwrite(RECORDING_MAGIC, 1, RECORDING_MAGIC_BYTES, writer->file);
    writer->bytes = RECORDING_MAGIC_BYTES;
    write_request(writer, request);
    return KOV_OK;
}

static bool belongs(const dci_frame *frame)
{
    if (frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT)
        return frame->event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLES;
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

int recording_finish(struct recording_writer *writer)
{
    bool failed = ferror(writer->file) != 0;
    failed = fclose(writer->file) != 0 || failed;
    return failed ? fail(KOV_FAILED, "cannot write all of %s: %s", writer->path, strerror(errno))
                  : KOV_OK;
}
