// SPDX-License-Identifier: MIT
// A tape: what passed between the gateway and a machine, with times. 8 bytes "OrrTape\n" and the
// version, then records: five words (the payload's bytes; a CRC-32 of all that follows and of the
// first word; the kind; the time in two) and the payload. Words are 32 bits, big endian. The first
// record is the machine's name.
#ifndef KOV_GATEWAY_TAPE_H
#define KOV_GATEWAY_TAPE_H

#include "tools/memory.h"

#include <stdio.h>

#define TAPE_VERSION 1
#define TAPE_HEADER_BYTES 12
#define TAPE_RECORD_BYTES 20               // before the payload
#define TAPE_PAYLOAD_MAX ((1u << 20) + 64) // a frame's, or a request's

enum tape_kind {
    TAPE_NAME = 1,
    TAPE_REQUEST, // a Request of dci.proto, without id and token
    TAPE_FRAME,   // a ServerFrame: an answer to the last request, or an event
    TAPE_LOST,    // the connection was lost; the next request is a hello
};

struct tape_record {
    u32 kind;
    u64 time;             // ns since the tape began; no less than that of the record before
    struct bytes payload; // of the reader, until the next record
};

// ---- writing (tape_write.c) --------------------------------------------------------------------

struct tape_writer {
    int fd; // -1: none
    u64 bytes;
    u64 lost; // records for which there was no room
};

// Makes the file, which must not be there. KOV_OK, or the failure is printed.
int tape_create(struct tape_writer *writer, const char *path, const char *name);
// 0, or the errno of the first record that could not be written: the tape ends before that one, and
// all further ones are lost.
int tape_write(struct tape_writer *writer, enum tape_kind kind, u64 time, const void *payload,
               size_t size);
void tape_finish(struct tape_writer *writer);

// ---- reading (tape_read.c) ---------------------------------------------------------------------

enum tape_result {
    TAPE_OK,
    TAPE_END,     // no more
    TAPE_CUT,     // the file ends inside a record, as that of a kov that was killed may
    TAPE_DAMAGED, // this record makes no sense, so that no later one can be found
};

struct tape_reader {
    FILE *file;
    u64 at; // bytes
    struct tape_record record;
};

// What the file is not, for people ("is no recording …"); NULL: it is one, and *reader is open.
const char *tape_open(struct tape_reader *reader, FILE *file);
enum tape_result tape_next(struct tape_reader *reader);
void tape_close(struct tape_reader *reader);

// The CRC-32 of a record: of its words, of which the second is left out, and its payload.
u32 tape_sum(const u8 head[TAPE_RECORD_BYTES], const void *payload, size_t size);

#endif
