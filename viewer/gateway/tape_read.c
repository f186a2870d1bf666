// SPDX-License-Identifier: MIT
// Reads a tape, which may have any contents.
#include "gateway/tape.h"
#include "wire/frame.h"

#include <string.h>

const char *tape_open(struct tape_reader *reader, FILE *file)
{
    u8 header[TAPE_HEADER_BYTES];
    *reader = (struct tape_reader){.file = file};
    if (fread(header, 1, sizeof(header), file) != sizeof(header) ||
        memcmp(header, TAPE_MAGIC, TAPE_MAGIC_BYTES) != 0)
        return "it is no recording of kov serve";
    if (frame_decode_length(header + 8) != TAPE_VERSION)
        return "it is a recording of another version of kov";
    reader->at = sizeof(header);
    if (tape_next(reader) != TAPE_OK || reader->record.kind != TAPE_NAME)
        return "it is damaged at its begin";
    return NULL;
}

enum tape_result tape_next(struct tape_reader *reader)
{
    u8 head[TAPE_RECORD_BYTES];
    struct tape_record *record = &reader->record;
    struct bytes *payload = &record->payload;
    payload->size = 0;
    size_t count = fread(head, 1, sizeof(head), reader->file);
    if (count < sizeof(head))
        return count == 0 ? TAPE_END : TAPE_CUT;
    u32 size = frame_decode_length(head);
    u64 time = (u64)frame_decode_length(head + 12) << 32 | frame_decode_length(head + 16);
    if (size > TAPE_PAYLOAD_MAX || time < record->time || time > TAPE_TIME_MAX)
        return TAPE_DAMAGED;
    if (fread(bytes_reserve(payload, size), 1, size, reader->file) != size)
        return TAPE_CUT;
    if (tape_sum(head, payload->data, size) != frame_decode_length(head + 4))
        return TAPE_DAMAGED;
    payload->size = size;
    record->kind = frame_decode_length(head + 8);
    record->time = time;
    reader->at += sizeof(head) + size;
    return TAPE_OK;
}

u64 tape_duration(FILE *file)
{
    struct tape_reader reader;
    u64 duration = 0;
    if (tape_open(&reader, file) == NULL) {
        do
            duration = reader.record.time;
        while (tape_next(&reader) == TAPE_OK);
    }
    bytes_free(&reader.record.payload);
    rewind(file);
    return duration;
}

void tape_close(struct tape_reader *reader)
{
    if (reader->file != NULL)
        fclose(reader->file);
    bytes_free(&reader->record.payload);
    *reader = (struct tape_reader){0};
}
