// SPDX-License-Identifier: MIT
// The metadata of a folder that is written: it lists the streams, and describes all events that are
// in them. Packets with events that it does not describe yet wait.
#include "output/out_file.h"
#include "tools/clock.h"
#include "record/capture.h"
#include "trace/listed.h"
#include "wire/resume.h"

#include <limits.h>
#include <stdlib.h>

// Makes the metadata, with what has come of each stream.
static void list_streams(const struct capture *capture, struct bytes *text)
{
    struct listed listed = {0};
    for (size_t i = 0; i < capture->count; i++) {
        const struct capture_stream *stream = &capture->streams[i];
        if (stream->packets > 0)
            listed_add(&listed, &(struct listed_stream){stream->pid, stream->cpu,
                                                        (u32)stream->first_sequence,
                                                        (u32)(stream->next_sequence - 1)});
    }
    listed_write(text, &capture->metadata, &listed);
    listed_free(&listed);
}

int capture_write_metadata(struct capture *capture)
{
    char path[PATH_MAX];
    struct out_file out;
    struct bytes text = {0};
    int code = capture_name_file(capture, "metadata", path);
    if (code == KOV_OK)
        code = out_file_open(&out, path);
    if (code == KOV_OK) {
        list_streams(capture, &text);
        if (text.size > 0)
            fwrite(text.data, 1, text.size, out.file);
        code = out_file_close(&out, KOV_OK);
    }
    bytes_free(&text);
    capture->listed = true;
    capture->listed_at = clock_now();
    capture->full |= code != KOV_OK;
    return code;
}

int capture_set_metadata(struct capture *capture, struct bytes *text)
{
    bytes_free(&capture->metadata);
    descriptions_free(&capture->descriptions);
    capture->metadata = *text;
    *text = (struct bytes){0};
    return capture->packets > 0 ? capture_write_metadata(capture) : KOV_OK;
}

// Reads what the metadata describes. Only programs describe events while one records, so that it is
// not needed for the kernel's packets.
static int read_descriptions(struct capture *capture)
{
    if (capture->descriptions.count > 0)
        return KOV_OK;
    struct bytes text = {0};
    bytes_append(&text, capture->metadata.data, capture->metadata.size);
    bytes_append(&text, "", 1);
    int code = descriptions_read(&capture->descriptions, (const char *)text.data, "the machine");
    bytes_free(&text);
    return code;
}

// ---- packets that wait -------------------------------------------------------------------------

int capture_must_wait(struct capture *capture, const Orrery__Dci__TracePacket *packet, bool *waits)
{
    *waits = false;
    if (packet->pid == 0 || capture->described)
        return KOV_OK;
    for (size_t i = 0; i < capture->waiting_count && !*waits; i++)
        *waits = capture->waiting[i].pid == packet->pid && capture->waiting[i].cpu == packet->cpu;
    int code = *waits ? KOV_OK : read_descriptions(capture);
    *waits |= code == KOV_OK &&
              !descriptions_cover(&capture->descriptions, packet->data.data, packet->data.len);
    return code;
}

void capture_let_wait(struct capture *capture, const Orrery__Dci__TracePacket *packet)
{
    struct capture_waiting waiting = {.pid = packet->pid, .cpu = packet->cpu};
    bytes_append(&waiting.data, packet->data.data, packet->data.len);
    capture->waiting = memory_grow(capture->waiting, capture->waiting_count,
                                   &capture->waiting_capacity, sizeof(*capture->waiting));
    capture->waiting[capture->waiting_count++] = waiting;
}

// Takes packets that have waited. They come again, the first `described` of them as described as
// they can be.
static int take_waiting(struct capture *capture, size_t described)
{
    struct capture_waiting *waiting = capture->waiting;
    size_t count = capture->waiting_count;
    int code = KOV_OK;
    capture->waiting = NULL;
    capture->waiting_count = capture->waiting_capacity = 0;
    for (size_t i = 0; i < count; i++) {
        Orrery__Dci__TracePacket packet = ORRERY__DCI__TRACE_PACKET__INIT;
        packet.pid = waiting[i].pid;
        packet.cpu = waiting[i].cpu;
        packet.data.data = waiting[i].data.data;
        packet.data.len = waiting[i].data.size;
        capture->described = i < described;
        if (code == KOV_OK)
            code = capture_packet(capture, &packet);
        bytes_free(&waiting[i].data);
    }
    capture->described = false;
    free(waiting);
    return code;
}

static int renew_metadata(struct capture *capture)
{
    size_t described = capture->waiting_count; // more may come meanwhile
    int code = trace_fetch_metadata(&capture->fetched);
    if (code == KOV_OK && capture->fetched.size > capture->metadata.size)
        code = capture_set_metadata(capture, &capture->fetched);
    bytes_free(&capture->fetched);
    return code == KOV_OK ? take_waiting(capture, described) : code;
}

int capture_reset_metadata(void *context)
{
    ((struct capture *)context)->fetched.size = 0;
    return KOV_OK;
}

int capture_metadata(struct capture *capture)
{
    resume_begin(capture_reset_metadata, capture);
    int code = renew_metadata(capture);
    resume_end();
    return code;
}

int capture_tick(struct capture *capture)
{
    int code = capture->keep && capture->packets > 0 ? out_folder_place(&capture->folder) : KOV_OK;
    return code == KOV_OK && capture->waiting_count > 0 ? renew_metadata(capture) : code;
}
