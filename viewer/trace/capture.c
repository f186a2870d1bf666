// SPDX-License-Identifier: MIT
// A folder with a CTF trace: `metadata`, and a stream file for each CPU, of the kernel and of each
// process.
#include "trace/capture.h"
#include "tools/memory.h"
#include "trace/packet.h"
#include "wire/resume.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trace/layout.h>
#include <unistd.h>

#define MAX_OPEN_STREAMS 256

static bool folder_is_empty(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return false;
    int entries = 0;
    while (readdir(folder) != NULL)
        entries++;
    closedir(folder);
    return entries == 2; // "." and ".."
}

int capture_create(struct capture *capture, const char *folder)
{
    *capture = (struct capture){.folder = folder};
    if (mkdir(folder, 0777) == 0)
        return KOV_OK;
    if (errno != EEXIST)
        return fail(KOV_FAILED, "cannot make the folder %s: %s", folder, strerror(errno));
    if (!folder_is_empty(folder))
        return fail(KOV_FAILED, "%s is there already and is no empty folder; name another with -o",
                    folder);
    return KOV_OK;
}

static FILE *open_file(const struct capture *capture, const char *name, const char *mode)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/%s", capture->folder, name);
    FILE *file = length < PATH_MAX ? fopen(path, mode) : NULL;
    if (file == NULL)
        fail(KOV_FAILED, "cannot write %s: %s", path,
             strerror(length < PATH_MAX ? errno : ENAMETOOLONG));
    return file;
}

static int close_file(const struct capture *capture, FILE *file)
{
    bool failed = ferror(file) != 0;
    failed = fclose(file) != 0 || failed;
    return failed ? fail(KOV_FAILED, "cannot write all of %s: %s", capture->folder, strerror(errno))
                  : KOV_OK;
}

// Forgets the metadata. On a new connection it comes from the beginning.
static int forget_metadata(void *context)
{
    ((struct bytes *)context)->size = 0;
    return KOV_OK;
}

int capture_write_metadata(const struct capture *capture, const struct bytes *text)
{
    FILE *file = open_file(capture, "metadata", "wb");
    if (file == NULL)
        return KOV_FAILED;
    if (text->size > 0)
        fwrite(text->data, 1, text->size, file);
    return close_file(capture, file);
}

int capture_metadata(struct capture *capture)
{
    struct bytes text = {0};
    resume_begin(forget_metadata, &text);
    int code = trace_fetch_metadata(&text);
    resume_end();
    if (code == KOV_OK && text.size > capture->metadata_bytes) {
        capture->metadata_bytes = text.size;
        code = capture_write_metadata(capture, &text);
    }
    bytes_free(&text);
    return code;
}

// ---- streams -----------------------------------------------------------------------------------

// Returns the index of the first stream that is not before this one.
static size_t stream_place(const struct capture *capture, u32 pid, u32 cpu)
{
    size_t low = 0, high = capture->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct capture_stream *stream = &capture->streams[middle];
        if (stream->pid < pid || (stream->pid == pid && stream->cpu < cpu))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
    int code = close_file(capture, stream->file);
    stream->file = NULL;
    capture->open--;
    return code;
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

static int open_stream(struct capture *capture, struct capture_stream *stream)
{
    char name[48];
    int code = capture->open < MAX_OPEN_STREAMS ? KOV_OK : close_one(capture);
    if (code != KOV_OK)
        return code;
    if (stream->pid == 0)
        snprintf(name, sizeof(name), "stream_%" PRIu32, stream->cpu);
    else
        snprintf(name, sizeof(name), "stream_%" PRIu32 "_%" PRIu32, stream->pid, stream->cpu);
    stream->file = open_file(capture, name, stream->packets == 0 ? "wb" : "ab");
    if (stream->file == NULL)
        return KOV_FAILED;
    setvbuf(stream->file, NULL, _IONBF, 0); // whoever reads it meanwhile finds whole packets
    capture->open++;
    return KOV_OK;
}

static int write_packet(struct capture *capture, struct capture_stream *stream,
                        const Orrery__Dci__TracePacket *packet)
{
    if (stream->file == NULL && open_stream(capture, stream) != KOV_OK)
        return KOV_FAILED;
    stream->used = ++capture->packets;
    if (fwrite(packet->data.data, 1, packet->data.len, stream->file) != packet->data.len)
        return fail(KOV_FAILED, "cannot write to %s: %s", capture->folder, strerror(errno));
    return KOV_OK;
}

static int damaged(const Orrery__Dci__TracePacket *packet, const char *how)
{
    if (packet->pid == 0)
        return fail(KOV_CONNECTION, "a packet of CPU %" PRIu32 " %s", packet->cpu, how);
    return fail(KOV_CONNECTION, "a packet of process %" PRIu32 " on CPU %" PRIu32 " %s",
                packet->pid, packet->cpu, how);
}

int capture_packet(struct capture *capture, const Orrery__Dci__TracePacket *packet)
{
    u64 events, sequence;
    if (packet->cpu >= ORRERY_MAX_CPUS)
        return damaged(packet, "came, which cannot be");
    const char *problem = packet_check(packet->data.data, packet->data.len, packet->pid,
                                       packet->cpu, &events, &sequence);
    if (problem != NULL) {
        char text[128];
        snprintf(text, sizeof(text), "is damaged: %s", problem);
        return damaged(packet, text);
    }
    struct capture_stream *stream = get_stream(capture, packet->pid, packet->cpu);
    if (stream->packets > 0 && sequence < stream->next_sequence)
        return damaged(packet, "comes out of order");
    if (write_packet(capture, stream, packet) != KOV_OK)
        return KOV_FAILED;
    stream->missing_packets += stream->packets > 0 ? sequence - stream->next_sequence : 0;
    stream->next_sequence = sequence + 1;
    stream->packets++;
    stream->events += events;
    stream->bytes += packet->data.len;
    struct trace_packet header;
    memcpy(&header, packet->data.data, sizeof(header)); // packet_check has seen that it is there
    stream->discarded = TRACE_BE64(header.events_discarded);
    stream->overwritten = TRACE_BE64(header.events_overwritten);
    capture->bytes += packet->data.len;
    return KOV_OK;
}

int capture_close(struct capture *capture)
{
    int code = KOV_OK;
    for (size_t i = 0; i < capture->count; i++) {
        if (capture->streams[i].file == NULL)
            continue;
        int closed = close_stream(capture, &capture->streams[i]);
        code = code == KOV_OK ? closed : code;
    }
    return code;
}

void capture_free(struct capture *capture)
{
    free(capture->streams);
    *capture = (struct capture){0};
}
