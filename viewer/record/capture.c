// SPDX-License-Identifier: MIT
// A folder with a CTF trace: `metadata`, and a stream file for each CPU, of the kernel and of each
// process.
#include "record/capture.h"
#include "tools/clock.h"
#include "tools/memory.h"
#include "trace/listed.h"
#include "trace/packet.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <orrery/lower_bound.h>
#include <stdlib.h>
#include <string.h>
#include <trace/layout.h>
#include <unistd.h>

#define MAX_OPEN_STREAMS 256
#define LIST_SECONDS 0.5 // after which the metadata lists what has come

// Returns whether a file may be removed with its folder: also a draft of the metadata that a killed
// kov has left there.
static bool is_ours(const char *name)
{
    return capture_is_part(name) || strcmp(name, ".metadata.new") == 0;
}

int capture_create(struct capture *capture, const char *folder)
{
    *capture = (struct capture){.listed = true};
    if (strcmp(folder, "-") == 0)
        return fail(KOV_USAGE, "a recording of this kind is a folder, which standard output cannot "
                               "be: name one with -o");
    return out_folder_open(&capture->folder, folder, is_ours);
}

int capture_name_file(const struct capture *capture, const char *name, char path[PATH_MAX])
{
    if (snprintf(path, PATH_MAX, "%s/%s", capture->folder.place, name) < PATH_MAX)
        return KOV_OK;
    return fail(KOV_FAILED, "cannot write %s: %s", path, strerror(ENAMETOOLONG));
}

// ---- streams -----------------------------------------------------------------------------------

static bool is_before(const struct capture_stream *stream, u32 pid, u32 cpu)
{
    return stream->pid < pid || (stream->pid == pid && stream->cpu < cpu);
}

// Returns the index of the first stream that is not before this one.
static size_t stream_place(const struct capture *capture, u32 pid, u32 cpu)
{
    return LOWER_BOUND(at, capture->count, is_before(&capture->streams[at], pid, cpu));
}

static bool is_at(const struct capture *capture, size_t place, u32 pid, u32 cpu)
{
    return place < capture->count && capture->streams[place].pid == pid &&
           capture->streams[place].cpu == cpu;
}

struct capture_stream capture_of(const struct capture *capture, u32 pid, u32 cpu)
{
    size_t place = stream_place(capture, pid, cpu);
    return is_at(capture, place, pid, cpu) ? capture->streams[place]
                                           : (struct capture_stream){.pid = pid, .cpu = cpu};
}

static struct capture_stream *get_stream(struct capture *capture, u32 pid, u32 cpu)
{
    size_t place = stream_place(capture, pid, cpu);
    if (is_at(capture, place, pid, cpu))
        return &capture->streams[place];
    capture->streams = memory_grow(capture->streams, capture->count, &capture->capacity,
                                   sizeof(*capture->streams));
    struct capture_stream *stream = &capture->streams[place];
    memmove(stream + 1, stream, (capture->count - place) * sizeof(*stream));
    capture->count++;
    *stream = (struct capture_stream){.pid = pid, .cpu = cpu};
    return stream;
}

static int close_stream(struct capture *capture, struct capture_stream *stream)
{
    int failed = fclose(stream->file);
    stream->file = NULL;
    capture->open--;
    return failed == 0 ? KOV_OK
                       : fail(KOV_FAILED, "cannot write all of %s: %s", capture->folder.path,
                              strerror(errno));
}

// Closes the stream that was not used for longest. There may be more streams than a program may
// have open files.
static int close_one(struct capture *capture)
{
    struct capture_stream *oldest = NULL;
    for (size_t i = 0; i < capture->count; i++) {
        struct capture_stream *stream = &capture->streams[i];
        if (stream->file != NULL && (oldest == NULL || stream->used < oldest->used))
            oldest = stream;
    }
    return oldest == NULL ? KOV_OK : close_stream(capture, oldest);
}

static int name_stream(const struct capture *capture, const struct capture_stream *stream,
                       char path[PATH_MAX])
{
    char name[STREAM_NAME_BYTES];
    listed_name(stream->pid, stream->cpu, name);
    return capture_name_file(capture, name, path);
}

static int open_stream(struct capture *capture, struct capture_stream *stream)
{
    char path[PATH_MAX];
    int code = capture->open < MAX_OPEN_STREAMS ? KOV_OK : close_one(capture);
    if (code == KOV_OK)
        code = name_stream(capture, stream, path);
    if (code != KOV_OK)
        return code;
    stream->file = fopen(path, stream->packets == 0 ? "wbe" : "abe");
    if (stream->file == NULL)
        return fail(KOV_FAILED, "cannot write %s: %s", path, strerror(errno));
    setvbuf(stream->file, NULL, _IONBF, 0); // whoever reads it meanwhile finds whole packets
    capture->open++;
    return KOV_OK;
}

// Cuts off the part of a packet that was written, so that readers find whole packets alone.
static int end_stream(struct capture *capture, const struct capture_stream *stream)
{
    int error = errno;
    char path[PATH_MAX];
    capture->full = true;
    if (ftruncate(fileno(stream->file), (off_t)stream->bytes) != 0)
        warn("the last packet of a stream in %s is damaged: %s", capture->folder.path,
             strerror(errno));
    if (stream->packets == 0 && name_stream(capture, stream, path) == KOV_OK)
        unlink(path); // to some readers an empty stream is a damaged one
    return fail(KOV_FAILED, "cannot write all of %s: %s", capture->folder.path, strerror(error));
}

static int write_packet(struct capture *capture, struct capture_stream *stream,
                        const Orrery__Dci__TracePacket *packet)
{
    if (capture->packets == 0 && capture_write_metadata(capture) != KOV_OK)
        return KOV_FAILED;
    if (stream->file == NULL && open_stream(capture, stream) != KOV_OK)
        return KOV_FAILED;
    if (fwrite(packet->data.data, 1, packet->data.len, stream->file) != packet->data.len)
        return end_stream(capture, stream);
    stream->used = ++capture->packets;
    return capture->keep ? out_folder_place(&capture->folder) : KOV_OK;
}

static int damaged(const Orrery__Dci__TracePacket *packet, const char *how)
{
    if (packet->pid == 0)
        return fail(KOV_CONNECTION, "a packet of CPU %" PRIu32 " %s", packet->cpu, how);
    return fail(KOV_CONNECTION, "a packet of process %" PRIu32 " on CPU %" PRIu32 " %s",
                packet->pid, packet->cpu, how);
}

// Counts a packet that was written.
static void count_packet(struct capture *capture, struct capture_stream *stream,
                         const Orrery__Dci__TracePacket *packet, u64 events, u64 sequence)
{
    struct trace_packet header;
    memcpy(&header, packet->data.data, sizeof(header)); // packet_check has seen that it is there
    if (stream->packets == 0)
        stream->first_sequence = sequence;
    else
        stream->missing_packets += sequence - stream->next_sequence;
    stream->next_sequence = sequence + 1;
    stream->packets++;
    stream->events += events;
    stream->bytes += packet->data.len;
    stream->discarded = TRACE_BE64(header.events_discarded);
    stream->overwritten = TRACE_BE64(header.events_overwritten);
    capture->bytes += packet->data.len;
    capture->listed = false;
}

static int put_packet(struct capture *capture, const Orrery__Dci__TracePacket *packet, u64 events,
                      u64 sequence)
{
    struct capture_stream *stream = get_stream(capture, packet->pid, packet->cpu);
    if (stream->packets > 0 && sequence < stream->next_sequence)
        return damaged(packet, "comes out of order");
    int code = write_packet(capture, stream, packet);
    if (code != KOV_OK)
        return code;
    count_packet(capture, stream, packet, events, sequence);
    return clock_now() < capture->listed_at + LIST_SECONDS ? KOV_OK
                                                           : capture_write_metadata(capture);
}

int capture_packet(struct capture *capture, const Orrery__Dci__TracePacket *packet)
{
    u64 events, sequence;
    bool waits;
    if (packet->cpu >= ORRERY_MAX_CPUS)
        return damaged(packet, "came, which cannot be");
    const char *problem = packet_check(packet->data.data, packet->data.len, packet->pid,
                                       packet->cpu, &events, &sequence);
    if (problem != NULL) {
        char text[128];
        snprintf(text, sizeof(text), "is damaged: %s", problem);
        return damaged(packet, text);
    }
    int code = capture_must_wait(capture, packet, &waits);
    if (code == KOV_OK && waits)
        capture_let_wait(capture, packet);
    else if (code == KOV_OK)
        code = put_packet(capture, packet, events, sequence);
    return code;
}

bool capture_is_part(const char *name)
{
    static const char prefix[] = "stream_";
    size_t length = sizeof(prefix) - 1;
    if (strcmp(name, "metadata") == 0)
        return true;
    return strncmp(name, prefix, length) == 0 && name[length] != '\0' &&
           strspn(name + length, "0123456789_") == strlen(name + length);
}

static int close_streams(struct capture *capture, int code)
{
    for (size_t i = 0; i < capture->count; i++) {
        if (capture->streams[i].file == NULL)
            continue;
        int closed = close_stream(capture, &capture->streams[i]);
        code = code == KOV_OK ? closed : code;
    }
    return code;
}

int capture_close(struct capture *capture, int code)
{
    if (capture->folder.place == NULL)
        return code;
    bool keep = capture->keep && capture->packets > 0;
    code = close_streams(capture, code);
    if (capture->waiting_count > 0 && !capture->full && (code == KOV_OK || keep))
        warn("%zu packets are left out: what programs have logged in them was not described yet",
             capture->waiting_count);
    bool unlisted = !capture->listed || (capture->packets == 0 && capture->metadata.size > 0);
    if (unlisted && !capture->full && (code == KOV_OK || keep)) {
        int written = capture_write_metadata(capture);
        code = code == KOV_OK ? written : code;
    }
    if (code == KOV_OK || keep) {
        int placed = out_folder_place(&capture->folder);
        code = code == KOV_OK ? placed : code;
    }
    out_folder_close(&capture->folder, code == KOV_OK || keep);
    return code;
}

void capture_free(struct capture *capture)
{
    for (size_t i = 0; i < capture->waiting_count; i++)
        bytes_free(&capture->waiting[i].data);
    free(capture->waiting);
    free(capture->streams);
    bytes_free(&capture->metadata);
    bytes_free(&capture->fetched);
    descriptions_free(&capture->descriptions);
    *capture = (struct capture){0};
}
