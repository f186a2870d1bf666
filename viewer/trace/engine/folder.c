// SPDX-License-Identifier: MIT
// A source that reads a CTF folder: `metadata`, and a file of packets for each stream. It opens a
// file only to read a packet, so there may be any number of them.
#include "tools/kov.h"
#include "tools/memory.h"
#include "trace/engine/engine.h"
#include "trace/engine/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
    const char *path;
    int fd;
};

static int cannot_read(const struct folder *folder, const char *name, const char *why)
{
    return fail(KOV_FAILED, "cannot read %s/%s: %s", folder->path, name, why);
}

static int read_packet(void *context, const struct packet_stream *stream,
                       const struct packet_entry *entry, u8 *content)
{
    const struct folder *folder = context;
    int fd = openat(folder->fd, stream->name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot_read(folder, stream->name, strerror(errno));
    s64 bytes = file_read(fd, content, entry->bytes, entry->place);
    int error = errno;
    close(fd);
    if (bytes < 0)
        return cannot_read(folder, stream->name, strerror(error));
    if (bytes < entry->bytes)
        return cannot_read(folder, stream->name, "it has become shorter");
    return KOV_OK;
}

static void close_folder(void *context)
{
    struct folder *folder = context;
    if (folder->fd >= 0)
        close(folder->fd);
    free(folder);
}

static int read_metadata(struct engine *engine, const struct folder *folder)
{
    int fd = openat(folder->fd, "metadata", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot_read(folder, "metadata", strerror(errno));
    char *text = memory_get(METADATA_BYTES_MAX + 1);
    s64 bytes = file_read(fd, text, METADATA_BYTES_MAX, 0);
    int code = bytes < 0 ? cannot_read(folder, "metadata", strerror(errno)) : KOV_OK;
    close(fd);
    if (code == KOV_OK)
        code = descriptions_read(&engine->descriptions, text, folder->path);
    free(text);
    return code;
}

// ---- the index ---------------------------------------------------------------------------------

static int damaged(const struct folder *folder, const char *name, u64 offset, const char *how)
{
    return fail(KOV_FAILED, "%s/%s: the packet at byte %" PRIu64 " is damaged: %s", folder->path,
                name, offset, how);
}

// Indexes the packet at *offset and moves *offset behind it.
static int index_packet(struct engine *engine, const struct folder *folder, const char *name,
                        const u8 header[TRACE_PACKET_HEADER_SIZE], u64 size,
                        struct packet_stream **stream, u64 *offset)
{
    struct packet_entry entry;
    u32 pid, cpu;
    u64 bytes;
    const char *problem = stream_read_header(header, &entry, &pid, &cpu, &bytes);
    if (problem == NULL && *stream != NULL && ((*stream)->pid != pid || (*stream)->cpu != cpu))
        problem = "it is of another stream than those before";
    if (problem != NULL)
        return damaged(folder, name, *offset, problem);
    if (bytes > size - *offset) {
        warn("%s/%s: the last packet is cut off: it is left out", folder->path, name);
        *offset = size;
        return KOV_OK;
    }
    if (*stream == NULL)
        *stream = engine_add_stream(engine, pid, cpu, name);
    entry.place = *offset + TRACE_PACKET_HEADER_SIZE;
    problem = stream_add(*stream, &entry);
    if (problem != NULL)
        return damaged(folder, name, *offset, problem);
    *offset += bytes;
    return KOV_OK;
}

static int index_file(struct engine *engine, const struct folder *folder, int fd, const char *name,
                      u64 size)
{
    struct packet_stream *stream = NULL;
    int code = KOV_OK;
    for (u64 offset = 0; code == KOV_OK && offset < size;) {
        u8 header[TRACE_PACKET_HEADER_SIZE];
        s64 bytes = file_read(fd, header, sizeof(header), offset);
        if (bytes < 0)
            return cannot_read(folder, name, strerror(errno));
        if (bytes < (s64)sizeof(header)) {
            warn("%s/%s: the last packet is cut off: it is left out", folder->path, name);
            return KOV_OK;
        }
        code = index_packet(engine, folder, name, header, size, &stream, &offset);
    }
    return code;
}

static int add_file(struct engine *engine, const struct folder *folder, const char *name)
{
    struct stat about;
    int fd = openat(folder->fd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &about) != 0) {
        int code = cannot_read(folder, name, strerror(errno));
        if (fd >= 0)
            close(fd);
        return code;
    }
    int code = S_ISREG(about.st_mode) ? index_file(engine, folder, fd, name, (u64)about.st_size)
                                      : KOV_OK; // such as babeltrace's folder `index`
    close(fd);
    return code;
}

static int is_stream(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0;
}

int engine_open_folder(struct engine *engine, const char *path)
{
    struct folder *folder = memory_get(sizeof(*folder));
    *folder = (struct folder){path, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    *engine = (struct engine){.where = path, .source = {read_packet, close_folder, folder}};
    if (folder->fd < 0)
        return fail(KOV_FAILED, "cannot open the folder %s: %s", path, strerror(errno));
    int code = read_metadata(engine, folder);
    struct dirent **names;
    int count = code == KOV_OK ? scandir(path, &names, is_stream, versionsort) : 0;
    if (count < 0)
        return fail(KOV_FAILED, "cannot read the folder %s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (code == KOV_OK)
            code = add_file(engine, folder, names[i]->d_name);
        free(names[i]);
    }
    if (count > 0)
        free(names);
    return code;
}
