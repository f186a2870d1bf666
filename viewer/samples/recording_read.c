// SPDX-License-Identifier: MIT
// Reads a recording. The file may be damaged, or no recording at all.
#include "machine/decode_machine.h"
#include "samples/decode_samples.h"
#include "samples/recording.h"
#include "tools/memory.h"
#include "tools/text.h"
#include "wire/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sampled_event decode_event(const Orrery__Dci__SampledEvent *message)
{
    struct sampled_event event = {
        .event = message->event,
        .mode = (enum count_mode)message->mode,
        .period = message->period,
        .randomise = message->randomise,
    };
    if (event.event == SAMPLED_RUN_CYCLES)
        snprintf(event.name, sizeof(event.name), "%s", RUN_CYCLES_NAME);
    else
        snprintf(event.name, sizeof(event.name), "event-%" PRIu32, event.event);
    return event;
}

static const char *decode_events(const Orrery__Dci__SamplingStartRequest *start,
                                 struct sampling_request *request)
{
    if (start->n_events == 0)
        return "it does not say which events were sampled: it is of an older kov";
    if (start->n_events > SAMPLED_EVENTS_MAX)
        return "it has too many events";
    for (size_t i = 0; i < start->n_events; i++) {
        if ((u32)start->events[i]->mode >= COUNT_MODES)
            return "an event is of an unknown mode";
        request->events.events[request->events.count++] = decode_event(start->events[i]);
    }
    return NULL;
}

static const char *decode_request(const u8 *payload, size_t size, struct recording *recording)
{
    dci_request *request = orrery__dci__request__unpack(NULL, size, payload);
    if (request == NULL || request->body_case != ORRERY__DCI__REQUEST__BODY_SAMPLING_START) {
        orrery__dci__request__free_unpacked(request, NULL);
        return "it does not begin with what was asked for";
    }
    recording->request = (struct sampling_request){
        .callers = request->sampling_start->callers,
        .cpu_mask = request->sampling_start->cpu_mask,
        .precise = request->sampling_start->precise,
    };
    const char *problem = decode_events(request->sampling_start, &recording->request);
    orrery__dci__request__free_unpacked(request, NULL);
    return problem;
}

static void name_events(const Orrery__Dci__PmuEventsReply *reply, struct sampled_events *events)
{
    for (size_t i = 0; i < reply->n_events; i++)
        for (u32 j = 0; j < events->count; j++) {
            struct sampled_event *event = &events->events[j];
            if (event->event < SAMPLED_MODEL ||
                event->event - SAMPLED_MODEL != reply->events[i]->event)
                continue;
            snprintf(event->name, sizeof(event->name), "%s", reply->events[i]->name);
            text_mend(event->name);
        }
}

static void decode_system(const dci_system_info *system, struct recording *recording)
{
    recording->cpu_count = system->cpu_count;
    recording->timebase_hz = system->timebase_hz;
    recording->boot_time = system->boot_time;
    size_t size = system->build_id.len;
    recording->build_id_size = size > RECORDING_MAX_BUILD_ID ? RECORDING_MAX_BUILD_ID : size;
    if (recording->build_id_size > 0)
        memcpy(recording->build_id, system->build_id.data, recording->build_id_size);
}

static void decode_response(const dci_response *response, struct recording *recording)
{
    switch (response->body_case) {
    case ORRERY__DCI__RESPONSE__BODY_SYSTEM:
        decode_system(response->system, recording);
        break;
    case ORRERY__DCI__RESPONSE__BODY_PROCESSES:
        decode_processes(response->processes, &recording->snapshot);
        break;
    case ORRERY__DCI__RESPONSE__BODY_SAMPLING_START:
        decode_sampling_start(response->sampling_start, &recording->request.events,
                              &recording->samples);
        break;
    case ORRERY__DCI__RESPONSE__BODY_PMU_EVENTS:
        name_events(response->pmu_events, &recording->request.events);
        break;
    case ORRERY__DCI__RESPONSE__BODY_CLASSES:
        decode_classes(response->classes, &recording->snapshot);
        break;
    case ORRERY__DCI__RESPONSE__BODY_OBJECTS:
        decode_objects(response->objects, &recording->snapshot);
        break;
    case ORRERY__DCI__RESPONSE__BODY_SAMPLING_STOP:
        decode_sampling_stat(response->sampling_stop, &recording->samples);
        break;
    default:
        break; // a frame of a newer kov
    }
}

static const char *decode_frame(const u8 *payload, size_t size, struct recording *recording)
{
    dci_frame *frame = orrery__dci__server_frame__unpack(NULL, size, payload);
    if (frame == NULL)
        return "a frame in it is no message";
    if (frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_RESPONSE)
        decode_response(frame->response, recording);
    const Orrery__Dci__Event *event =
        frame->frame_case == ORRERY__DCI__SERVER_FRAME__FRAME_EVENT ? frame->event : NULL;
    if (event != NULL && event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLES)
        decode_samples(event->samples, &recording->samples);
    if (event != NULL && event->body_case == ORRERY__DCI__EVENT__BODY_SAMPLING_CHANGED)
        decode_sampling_changed(event->sampling_changed, &recording->samples);
    orrery__dci__server_frame__free_unpacked(frame, NULL);
    return NULL;
}

static const char *decode_frames(const u8 *data, size_t size, struct recording *recording)
{
    for (size_t place = 0, number = 0; place < size; number++) {
        if (size - place < FRAME_HEADER_BYTES) {
            recording->cut = true;
            return NULL;
        }
        size_t length = frame_decode_length(data + place);
        place += FRAME_HEADER_BYTES;
        if (length > FRAME_MAX_BYTES)
            return "a frame in it is too long";
        if (length > size - place) {
            recording->cut = true;
            return NULL;
        }
        const char *problem = number == 0 ? decode_request(data + place, length, recording)
                                          : decode_frame(data + place, length, recording);
        if (problem != NULL)
            return problem;
        place += length;
    }
    return NULL;
}

const char *recording_decode(const u8 *data, size_t size, struct recording *recording)
{
    *recording = (struct recording){0};
    if (size < RECORDING_MAGIC_BYTES || memcmp(data, RECORDING_MAGIC, RECORDING_MAGIC_BYTES) != 0)
        return "it is no recording of `kov record`";
    return decode_frames(data + RECORDING_MAGIC_BYTES, size - RECORDING_MAGIC_BYTES, recording);
}

static int decode(const char *path, const u8 *data, size_t size, struct recording *recording)
{
    const char *problem = recording_decode(data, size, recording);
    if (problem != NULL)
        return fail(KOV_FAILED, "cannot use %s: %s", path, problem);
    if (recording->cut)
        warn("%s ends early: `kov record` did not finish", path);
    return KOV_OK;
}

static int decode_file(const char *path, int fd, size_t size, struct recording *recording)
{
    u8 *data = size == 0 ? NULL : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return fail(KOV_FAILED, "cannot read %s: %s", path, strerror(errno));
    int code = decode(path, data, size, recording);
    if (data != NULL)
        munmap(data, size);
    return code;
}

// Decodes what comes until the end: of a pipe, which cannot be mapped.
static int decode_stream(const char *path, int fd, struct recording *recording)
{
    struct bytes bytes = {0};
    u8 piece[65536];
    ssize_t count;
    while ((count = read(fd, piece, sizeof(piece))) > 0 || (count < 0 && errno == EINTR))
        if (count > 0)
            bytes_append(&bytes, piece, (size_t)count);
    int code = count < 0 ? fail(KOV_FAILED, "cannot read %s: %s", path, strerror(errno))
                         : decode(path, bytes.data, bytes.size, recording);
    bytes_free(&bytes);
    return code;
}

static int decode_open(const char *path, int fd, struct recording *recording)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return fail(KOV_FAILED, "cannot read %s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return fail(KOV_FAILED,
                    "%s is a folder, no recording of `kov record`; `kov trace show` and `kov "
                    "monitor show` read folders",
                    path);
    return S_ISREG(status.st_mode) ? decode_file(path, fd, (size_t)status.st_size, recording)
                                   : decode_stream(path, fd, recording);
}

int recording_load(const char *path, struct recording *recording)
{
    if (strcmp(path, "-") == 0)
        return decode_stream("standard input", STDIN_FILENO, recording);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail(KOV_FAILED, "cannot read %s: %s%s", path, strerror(errno),
                    errno == ENOENT ? "; make one with `kov record`" : "");
    int code = decode_open(path, fd, recording);
    close(fd);
    return code;
}

void recording_free(struct recording *recording)
{
    snapshot_free(&recording->snapshot);
    samples_free(&recording->samples);
}
