// SPDX-License-Identifier: MIT
// Writes a folder with a trace. Files are opened for each packet: there may be more streams than a
// program may have open files.
#include "user/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 512
#define NAME_BYTES 32
#define PIECE 65536 // bytes of metadata that are read at once

struct stream {
    u32 pid, cpu;
    u32 first, last; // sequence numbers of its packets
    u64 lost;        // as its last packet tells
};

struct recording_sums recording_sums;

static const char *folder;
static struct stream *streams;
static u32 stream_count, stream_room;

static bool name_file(const char *name, char path[PATH_BYTES])
{
    if (snprintf(path, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

static void name_stream(const struct stream *stream, char name[NAME_BYTES])
{
    if (stream->pid == 0)
        snprintf(name, NAME_BYTES, "stream_%u", (unsigned)stream->cpu);
    else
        snprintf(name, NAME_BYTES, "stream_%u_%u", (unsigned)stream->pid, (unsigned)stream->cpu);
}

bool recording_create(const char *path)
{
    folder = path;
    return mkdir(path, 0777) == 0;
}

// ---- packets -----------------------------------------------------------------------------------

// Returns a packet's stream, which it may begin. NULL: no memory.
static struct stream *stream_of(const struct trace_packet *packet)
{
    for (u32 i = 0; i < stream_count; i++)
        if (streams[i].pid == packet->pid && streams[i].cpu == packet->cpu_id)
            return &streams[i];
    if (stream_count == stream_room) {
        u32 room = stream_room == 0 ? 32 : 2 * stream_room;
        void *grown = realloc(streams, room * sizeof(*streams));
        if (grown == NULL)
            return NULL;
        streams = grown;
        stream_room = room;
    }
    struct stream *stream = &streams[stream_count++];
    *stream =
        (struct stream){.pid = packet->pid, .cpu = packet->cpu_id, .first = packet->packet_seq_num};
    return stream;
}

static bool write_all(int file, const char *data, u64 bytes)
{
    while (bytes > 0) {
        ssize_t done = write(file, data, bytes);
        if (done <= 0)
            return false;
        data += done;
        bytes -= (u64)done;
    }
    return true;
}

// Appends all bytes to a file, or nothing.
static bool append(const char *name, const void *data, u64 bytes)
{
    char path[PATH_BYTES];
    struct stat before;

    if (!name_file(name, path))
        return false;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0)
        return false;
    bool known = fstat(file, &before) == 0, good = known && write_all(file, data, bytes);
    int error = errno;
    if (known && !good)
        ftruncate(file, before.st_size);
    good &= close(file) == 0;
    errno = error;
    return good;
}

static void count(struct stream *stream, const struct trace_packet *packet, u64 bytes)
{
    stream->last = packet->packet_seq_num;
    recording_sums.packets++;
    recording_sums.bytes += bytes;
    if (packet->pid == 0)
        return;
    u64 lost = packet->events_discarded + packet->events_overwritten;
    recording_sums.process_events += packet->event_count;
    // It is what the process has counted, which may be anything.
    recording_sums.process_lost += lost > stream->lost ? lost - stream->lost : 0;
    stream->lost = lost;
}

bool recording_append(const struct trace_packet *packet, u64 bytes)
{
    struct stream *stream = stream_of(packet);
    char name[NAME_BYTES];

    if (stream == NULL) {
        errno = ENOMEM;
        return false;
    }
    name_stream(stream, name);
    if (!append(name, packet, bytes))
        return false;
    count(stream, packet, bytes);
    return true;
}

// ---- metadata ----------------------------------------------------------------------------------

// Reads the machine's metadata, which is described while it is read: what comes is behind. Returns
// how many bytes, or 0 with errno.
static u64 read_metadata(char **text)
{
    u64 bytes = 0;
    s64 got;

    *text = NULL;
    do {
        char *grown = realloc(*text, bytes + PIECE);
        if (grown == NULL) {
            errno = ENOMEM;
            return 0;
        }
        *text = grown;
        got = sys_trace_metadata(bytes, *text + bytes, PIECE);
        bytes += got > 0 ? (u64)got : 0;
    } while (got > 0);
    errno = EIO;
    return got < 0 ? 0 : bytes;
}

// Returns how many bytes stand before the end of `env`, where the list of streams belongs.
static u64 before_list(const char *text, u64 bytes)
{
    const char *env = memmem(text, bytes, "env {", strlen("env {"));
    const char *end = env == NULL ? NULL : memmem(env, bytes - (u64)(env - text), "};", 2);

    while (end != NULL && end[-1] == ' ')
        end--;
    return end == NULL ? bytes : (u64)(end - text);
}

static bool write_list(FILE *file)
{
    char name[NAME_BYTES];

    for (u32 i = 0; i < stream_count; i++) {
        name_stream(&streams[i], name);
        fprintf(file, "\n    %s = \"%u-%u\";", name, (unsigned)streams[i].first,
                (unsigned)streams[i].last);
    }
    return ferror(file) == 0;
}

static bool write_metadata(const char *path, const char *text, u64 bytes)
{
    u64 before = before_list(text, bytes);
    FILE *file = fopen(path, "w");

    if (file == NULL)
        return false;
    bool good = fwrite(text, 1, before, file) == before && write_list(file) &&
                fwrite(text + before, 1, bytes - before, file) == bytes - before;
    return fclose(file) == 0 && good;
}

bool recording_describe(void)
{
    char draft[PATH_BYTES], path[PATH_BYTES], *text;
    u64 bytes = read_metadata(&text);
    bool good = bytes > 0 && name_file(".metadata.new", draft) && name_file("metadata", path) &&
                write_metadata(draft, text, bytes);

    free(text);
    if (good)
        return rename(draft, path) == 0;
    int error = errno;
    if (bytes > 0 && name_file(".metadata.new", draft))
        unlink(draft);
    errno = error;
    return false;
}

void recording_discard(void)
{
    char name[NAME_BYTES], path[PATH_BYTES];

    if (name_file("metadata", path))
        unlink(path);
    for (u32 i = 0; i < stream_count; i++) {
        name_stream(&streams[i], name);
        if (name_file(name, path))
            unlink(path);
    }
    rmdir(folder);
}
