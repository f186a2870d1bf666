// SPDX-License-Identifier: MIT
// A source that reads a CTF folder: `metadata`, and files of packets. It opens a file only to read
// a packet, so there may be any number of them. A packet belongs to the stream that most packets of
// its file name. Behind bytes that are no packet, the next one is searched for.
#include "tools/kov.h"
#include "tools/memory.h"
#include "trace/arrange.h"
#include "trace/file.h"
#include "trace/missing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEARCH_BYTES (1UL << 20)

struct folder {
    const char *path;
    int fd;
    char **files; // by number
    struct listed listed;
    size_t count, capacity;
};

static int cannot_read(const struct folder *folder, const char *name, const char *why)
{
    return fail(KOV_FAILED, "cannot read %s/%s: %s", folder->path, name, why);
}

static int read_packet(void *context, const struct packet_stream *stream,
                       const struct packet_entry *entry, u8 *content)
{
    const struct folder *folder = context;
    const char *name = folder->files[entry->file];
    (void)stream;
    int fd = openat(folder->fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot_read(folder, name, strerror(errno));
    s64 bytes = file_read(fd, content, entry->bytes, entry->place);
    int error = errno;
    close(fd);
    if (bytes < 0)
        return cannot_read(folder, name, strerror(error));
    if (bytes < entry->bytes)
        return cannot_read(folder, name, "it has become shorter");
    return KOV_OK;
}

static void close_folder(void *context)
{
    struct folder *folder = context;
    if (folder->fd >= 0)
        close(folder->fd);
    for (size_t i = 0; i < folder->count; i++)
        free(folder->files[i]);
    free(folder->files);
    listed_free(&folder->listed);
    free(folder);
}

static int read_metadata(struct engine *engine, struct folder *folder)
{
    // A pipe of that name must not make it wait.
    int fd = openat(folder->fd, "metadata", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return cannot_read(folder, "metadata", strerror(errno));
    char *text = memory_get(METADATA_BYTES_MAX + 1);
    s64 bytes = file_read(fd, text, METADATA_BYTES_MAX, 0);
    int code = bytes < 0 ? cannot_read(folder, "metadata", strerror(errno)) : KOV_OK;
    close(fd);
    if (code == KOV_OK)
        code = descriptions_read(&engine->descriptions, text, folder->path);
    if (code == KOV_OK)
        listed_read(&folder->listed, text);
    free(text);
    return code;
}

// ---- packets of a file -------------------------------------------------------------------------

struct found_packet {
    struct packet_entry entry;
    u32 pid, cpu;
};

struct packet_file {
    struct engine *engine;
    const char *name;
    int fd;
    u32 number;
    u64 size;
    u64 step; // size of the packet before; 0: none yet
    struct found_packet *packets;
    size_t count, capacity;
    bool failed; // it cannot be read
};

static s64 read_at(struct packet_file *file, void *into, size_t bytes, u64 offset)
{
    s64 done = file_read(file->fd, into, bytes, offset);
    file->failed |= done < 0;
    return done;
}

// Reads the header at an offset. Returns NULL, or what is wrong with it.
static const char *read_packet_header(struct packet_file *file, u64 offset,
                                      struct found_packet *packet, u64 *bytes)
{
    u8 header[TRACE_PACKET_HEADER_SIZE];
    const struct descriptions *descriptions = &file->engine->descriptions;
    if (read_at(file, header, sizeof(header), offset) != sizeof(header))
        return "it is cut off";
    const char *problem =
        stream_read_header(header, &packet->entry, &packet->pid, &packet->cpu, bytes);
    if (problem == NULL && descriptions->has_uuid &&
        memcmp(((struct trace_packet *)header)->uuid, descriptions->uuid,
               sizeof(descriptions->uuid)) != 0)
        problem = "it is of another trace";
    if (problem == NULL && descriptions->cpus != 0 && packet->cpu >= descriptions->cpus)
        problem = "the machine has no such CPU";
    packet->entry.place = offset + TRACE_PACKET_HEADER_SIZE;
    packet->entry.file = file->number & INT32_MAX;
    return problem;
}

static bool is_packet(struct packet_file *file, u64 offset)
{
    struct found_packet packet;
    u64 bytes;
    return read_packet_header(file, offset, &packet, &bytes) == NULL;
}

// Returns where the next packet is, from an offset on; the file's size if there is none.
static u64 next_packet(struct packet_file *file, u64 offset)
{
    static const u8 magic[] = {TRACE_PACKET_MAGIC >> 24, TRACE_PACKET_MAGIC >> 16 & 0xff,
                               TRACE_PACKET_MAGIC >> 8 & 0xff, TRACE_PACKET_MAGIC & 0xff};
    u8 *piece = memory_get(SEARCH_BYTES);
    u64 found = file->size;
    while (found == file->size && offset + sizeof(magic) <= file->size) {
        s64 bytes = read_at(file, piece, SEARCH_BYTES, offset);
        const u8 *at = piece, *end = piece + (bytes < 0 ? 0 : bytes);
        while (found == file->size &&
               (at = memmem(at, (size_t)(end - at), magic, sizeof(magic))) != NULL) {
            if (is_packet(file, offset + (u64)(at - piece)))
                found = offset + (u64)(at - piece);
            at++;
        }
        if (bytes < (s64)sizeof(magic))
            break;
        offset += (u64)bytes - sizeof(magic) + 1;
    }
    free(piece);
    return found;
}

static void leave_out(struct packet_file *file, u64 offset, const char *problem)
{
    char place[320];
    snprintf(place, sizeof(place), "the packet at byte %" PRIu64 " of %s", offset, file->name);
    engine_leave_out(file->engine, place, problem);
}

// Checks the size of a packet. A wrong one would hide the packets behind it.
// *next is where that is.
static const char *check_size(struct packet_file *file, u64 offset, u64 bytes, u64 *next)
{
    u64 left = file->size - offset;
    *next = offset + (bytes <= left ? bytes : left);
    if (bytes == file->step && (bytes == left || (bytes < left && is_packet(file, *next))))
        return NULL;
    u64 found = next_packet(file, offset + TRACE_PACKET_HEADER_SIZE);
    if (found == file->size)
        return bytes <= left ? NULL : "it is cut off";
    struct found_packet other;
    u64 distance = found - offset, step = file->step;
    if (step == 0)
        read_packet_header(file, found, &other, &step);
    if (bytes == distance || (bytes < distance && bytes == step))
        return NULL;
    *next = found;
    return "its size is wrong";
}

// Takes what is at an offset. Returns where the next packet begins.
static u64 take_packet(struct packet_file *file, u64 offset)
{
    struct found_packet packet;
    u64 bytes, next;
    const char *problem = read_packet_header(file, offset, &packet, &bytes);
    if (problem != NULL)
        next = next_packet(file, offset + 1);
    else
        problem = check_size(file, offset, bytes, &next);
    if (problem != NULL) {
        leave_out(file, offset, problem);
        return next;
    }
    file->step = bytes;
    file->packets =
        memory_grow(file->packets, file->count, &file->capacity, sizeof(*file->packets));
    file->packets[file->count++] = packet;
    return next;
}

// ---- the index ---------------------------------------------------------------------------------

// Returns the packet whose stream most packets of a file name, if more than half do.
static const struct found_packet *most_common(const struct packet_file *file)
{
    const struct found_packet *common = NULL;
    size_t votes = 0;
    for (size_t i = 0; i < file->count; i++) {
        const struct found_packet *packet = &file->packets[i];
        if (votes == 0)
            common = packet;
        if (common->pid == packet->pid && common->cpu == packet->cpu)
            votes++;
        else
            votes--;
    }
    return common;
}

static struct packet_stream *stream_of(struct engine *engine, const struct found_packet *packet,
                                       const char *name)
{
    for (size_t i = 0; i < engine->count; i++)
        if (engine->streams[i]->pid == packet->pid && engine->streams[i]->cpu == packet->cpu)
            return engine->streams[i];
    return engine_add_stream(engine, packet->pid, packet->cpu, name);
}

static void add_packets(struct packet_file *file)
{
    const struct found_packet *common = most_common(file);
    struct packet_stream *stream =
        common == NULL ? NULL : stream_of(file->engine, common, file->name);
    for (size_t i = 0; i < file->count; i++) {
        const struct found_packet *packet = &file->packets[i];
        if (packet->pid == common->pid && packet->cpu == common->cpu)
            stream_collect(stream, &packet->entry);
        else
            leave_out(file, packet->entry.place - TRACE_PACKET_HEADER_SIZE,
                      "it is of another stream than those beside it");
    }
}

// Returns whether a file holds a stream: by its name, or because it begins with a packet. Others
// may lie beside the streams.
static bool is_stream(struct packet_file *file)
{
    return strncmp(file->name, "stream_", strlen("stream_")) == 0 || is_packet(file, 0);
}

static int index_file(struct engine *engine, const struct folder *folder, u32 number, int fd,
                      u64 size)
{
    struct packet_file file = {
        .engine = engine, .name = folder->files[number], .fd = fd, .number = number, .size = size};
    if (is_stream(&file))
        for (u64 offset = 0; offset < size && !file.failed;)
            offset = take_packet(&file, offset);
    int code = file.failed ? cannot_read(folder, file.name, strerror(errno)) : KOV_OK;
    if (code == KOV_OK)
        add_packets(&file);
    free(file.packets);
    return code;
}

static int add_file(struct engine *engine, struct folder *folder, const char *name)
{
    struct stat about;
    int fd = openat(folder->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &about) != 0) {
        int code = cannot_read(folder, name, strerror(errno));
        if (fd >= 0)
            close(fd);
        return code;
    }
    folder->files =
        memory_grow(folder->files, folder->count, &folder->capacity, sizeof(*folder->files));
    folder->files[folder->count] = memory_copy_text(name);
    u32 number = (u32)folder->count++;
    int code = S_ISREG(about.st_mode) ? index_file(engine, folder, number, fd, (u64)about.st_size)
                                      : KOV_OK; // such as babeltrace's folder `index`
    close(fd);
    return code;
}

static int may_be_stream(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0;
}

// A recording of processes alone has no stream of the kernel, and no CPU is missing in it.
static void note_cpus(struct engine *engine)
{
    for (size_t i = 0; i < engine->count; i++)
        if (engine->streams[i]->pid == 0)
            engine->cpus |= 1U << engine->streams[i]->cpu;
    if (engine->cpus != 0 && engine->descriptions.cpus != 0)
        engine->cpus |= (u32)((1UL << engine->descriptions.cpus) - 1);
}

int engine_open_folder(struct engine *engine, const char *path)
{
    struct folder *folder = memory_get(sizeof(*folder));
    *folder = (struct folder){.path = path, .fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    *engine = (struct engine){.where = path, .source = {read_packet, close_folder, folder}};
    if (folder->fd < 0)
        return fail(KOV_FAILED, "cannot open the folder %s: %s", path, strerror(errno));
    int code = read_metadata(engine, folder);
    struct dirent **names;
    int count = code == KOV_OK ? scandir(path, &names, may_be_stream, versionsort) : 0;
    if (count < 0)
        return fail(KOV_FAILED, "cannot read the folder %s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (code == KOV_OK)
            code = add_file(engine, folder, names[i]->d_name);
        free(names[i]);
    }
    if (count > 0)
        free(names);
    if (code != KOV_OK)
        return code;
    note_cpus(engine);
    engine_arrange(engine);
    if (engine->count == 0 && (engine->left_out > 0 || folder->listed.count > 0))
        return fail(KOV_FAILED, "%s: no packet in it can be read", path);
    missing_note(engine, &folder->listed);
    return KOV_OK;
}
