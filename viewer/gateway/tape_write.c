// SPDX-License-Identifier: MIT
// Writes a tape. Each record is written at once, so that all but the last are there whenever kov
// ends.
#include "gateway/tape.h"
#include "tools/kov.h"
#include "wire/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

u32 tape_sum(const u8 head[TAPE_RECORD_BYTES], const void *payload, size_t size)
{
    uLong sum = crc32(crc32(0, head, 4), head + 8, TAPE_RECORD_BYTES - 8);
    return (u32)(size == 0 ? sum : crc32(sum, payload, (uInt)size));
}

static int write_all(struct tape_writer *writer, const struct bytes *bytes)
{
    for (size_t done = 0; done < bytes->size;) {
        ssize_t count = write(writer->fd, bytes->data + done, bytes->size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? errno : EIO;
        done += (size_t)count;
    }
    writer->bytes += bytes->size;
    return 0;
}

int tape_create(struct tape_writer *writer, const char *path, const char *name)
{
    *writer = (struct tape_writer){.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (writer->fd < 0 && errno == EEXIST)
        return fail(KOV_USAGE, "--record %s: there is such a file; nothing is recorded over it",
                    path);
    if (writer->fd < 0)
        return fail(KOV_FAILED, "--record %s: %s", path, strerror(errno));
    struct bytes header = {0};
    u8 version[4];
    frame_encode_length(version, TAPE_VERSION);
    bytes_append(&header, "OrrTape\n", 8);
    bytes_append(&header, version, sizeof(version));
    int error = write_all(writer, &header);
    bytes_free(&header);
    if (error == 0)
        error = tape_write(writer, TAPE_NAME, 0, name, strlen(name));
    if (error == 0)
        return KOV_OK;
    tape_finish(writer);
    return fail(KOV_FAILED, "--record %s: %s", path, strerror(error));
}

int tape_write(struct tape_writer *writer, enum tape_kind kind, u64 time, const void *payload,
               size_t size)
{
    if (writer->fd < 0 || size > TAPE_PAYLOAD_MAX) {
        writer->lost++;
        return 0;
    }
    u8 head[TAPE_RECORD_BYTES];
    frame_encode_length(head, (u32)size);
    frame_encode_length(head + 8, kind);
    frame_encode_length(head + 12, (u32)(time >> 32));
    frame_encode_length(head + 16, (u32)time);
    frame_encode_length(head + 4, tape_sum(head, payload, size));
    struct bytes record = {0};
    bytes_append(&record, head, sizeof(head));
    if (size > 0)
        bytes_append(&record, payload, size);
    int error = write_all(writer, &record);
    bytes_free(&record);
    if (error == 0)
        return 0;
    writer->lost++;
    if (ftruncate(writer->fd, (off_t)writer->bytes) != 0)
        errno = 0; // a reader takes a partial record for one that was cut off
    tape_finish(writer);
    return error;
}

void tape_finish(struct tape_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    writer->fd = -1;
}
