// SPDX-License-Identifier: MIT
// Writes a tape. Each record is written at once, so that all but the last are there whenever kov
// ends.
#include "gateway/tape.h"
#include "tools/kov.h"
#include "wire/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
        ssize_t count = write(fileno(writer->out.file), bytes->data + done, bytes->size - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? errno : EIO;
        done += (size_t)count;
    }
    return 0;
}

static bool is_tape(const char *path)
{
    char magic[TAPE_MAGIC_BYTES];
    FILE *file = fopen(path, "rbe");
    bool is = file != NULL && fread(magic, 1, sizeof(magic), file) == sizeof(magic) &&
              memcmp(magic, TAPE_MAGIC, sizeof(magic)) == 0;
    if (file != NULL)
        fclose(file);
    return is;
}

int tape_create(struct tape_writer *writer, const char *path, const char *name)
{
    struct stat about;
    bool exists = stat(path, &about) == 0;
    *writer = (struct tape_writer){.replaces = exists && about.st_size != 0};
    if (exists && (!S_ISREG(about.st_mode) || (writer->replaces && !is_tape(path))))
        return fail(KOV_USAGE,
                    "--record %s: there is such a file, which is no recording; nothing is recorded "
                    "over it",
                    path);
    writer->path = memory_copy_text(path);
    int code = out_file_open(&writer->out, writer->path);
    if (code == KOV_OK && fchmod(fileno(writer->out.file), 0600) != 0)
        code = out_file_close(&writer->out,
                              fail(KOV_FAILED, "--record %s: %s", path, strerror(errno)));
    if (code == KOV_OK) {
        writer->name = memory_copy_text(name);
        return KOV_OK;
    }
    free(writer->path);
    *writer = (struct tape_writer){0};
    return code;
}

static void add_record(struct bytes *bytes, enum tape_kind kind, u64 time, const void *payload,
                       size_t size)
{
    u8 head[TAPE_RECORD_BYTES];
    frame_encode_length(head, (u32)size);
    frame_encode_length(head + 8, kind);
    frame_encode_length(head + 12, (u32)(time >> 32));
    frame_encode_length(head + 16, (u32)time);
    frame_encode_length(head + 4, tape_sum(head, payload, size));
    bytes_append(bytes, head, sizeof(head));
    if (size > 0)
        bytes_append(bytes, payload, size);
}

static void add_header(const struct tape_writer *writer, struct bytes *bytes)
{
    u8 version[4];
    frame_encode_length(version, TAPE_VERSION);
    bytes_append(bytes, TAPE_MAGIC, TAPE_MAGIC_BYTES);
    bytes_append(bytes, version, sizeof(version));
    add_record(bytes, TAPE_NAME, 0, writer->name, strlen(writer->name));
}

// Writes a record, the first one with what comes before it. Then the tape gets its place.
static int put(struct tape_writer *writer, const struct bytes *record)
{
    int error = write_all(writer, record);
    if (error == 0 && out_file_place(&writer->out, writer->replaces) != KOV_OK)
        error = EIO;
    writer->bytes += error == 0 ? record->size : 0;
    return error;
}

int tape_write(struct tape_writer *writer, enum tape_kind kind, u64 time, const void *payload,
               size_t size)
{
    if (writer->out.file == NULL || size > TAPE_PAYLOAD_MAX) {
        writer->lost++;
        return 0;
    }
    struct bytes record = {0};
    if (writer->bytes == 0)
        add_header(writer, &record);
    add_record(&record, kind, time, payload, size);
    int error = time > TAPE_TIME_MAX ? EOVERFLOW : put(writer, &record);
    bytes_free(&record);
    if (error == 0)
        return 0;
    writer->lost++;
    if (ftruncate(fileno(writer->out.file), (off_t)writer->bytes) != 0)
        errno = 0; // a reader takes a partial record for one that was cut off
    tape_finish(writer);
    return error;
}

void tape_finish(struct tape_writer *writer)
{
    if (writer->out.file == NULL)
        return;
    out_file_close(&writer->out, writer->bytes == 0 ? KOV_FAILED : KOV_OK);
    free(writer->path);
    free(writer->name);
    writer->path = writer->name = NULL;
}
