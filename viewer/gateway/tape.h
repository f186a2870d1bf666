// SPDX-License-Identifier: MIT
// A tape: what passed between the gateway and a machine, with times. It begins with 8 bytes
// "OrrTape\n" and the version. Then come records: five words and the payload. The words are the
// payload's bytes; a CRC-32 of all that follows and of the first word; the kind; and the time in
// two words. Words are 32 bits, big endian. The first record is the machine's name.
#ifndef KOV_GATEWAY_TAPE_H
#define KOV_GATEWAY_TAPE_H

#include "output/out_file.h"
#include "tools/memory.h"

#include <stdio.h>

#define TAPE_MAGIC "OrrTape\n"
#define TAPE_MAGIC_BYTES 8
#define TAPE_VERSION 1
#define TAPE_HEADER_BYTES 12
#define TAPE_RECORD_BYTES 20 // before the payload
// A tape ends here, and a later record is damaged: who keeps a history would fill it up to then.
#define TAPE_TIME_MAX (30ull * 86400 * 1000000000) // ns
#define TAPE_PAYLOAD_MAX ((1u << 20) + 64)         // of a frame or a request

enum tape_kind {
    TAPE_NAME = 1,
    TAPE_REQUEST, // a Request of dci.proto, without id and token
    TAPE_FRAME,   // a ServerFrame: an answer to the last request, or an event
    TAPE_LOST,    // the connection was lost; the next request is a hello
};

struct tape_record {
    u32 kind;
    u64 time;             // ns since the tape began; not below that of the record before
    struct bytes payload; // the reader's, valid until the next record
};

// ---- writing (tape_write.c) --------------------------------------------------------------------

struct tape_writer {
    struct out_file out; // without a file: the tape has ended
    char *path, *name;
    bool replaces; // a tape that is there
    u64 bytes;     // 0: nothing has been written, and what was there still is
    u64 lost;      // records for which there was no room
};

// Begins a tape. With its first record it gets its place; a tape that was there stays as PATH.old.
// Another file, unless it is empty, is an error. Returns KOV_OK, or prints the failure.
int tape_create(struct tape_writer *writer, const char *path, const char *name);
// Writes a record. Returns 0, or the errno of the first record that could not be written, EOVERFLOW
// for one behind TAPE_TIME_MAX. The tape ends before that record, and all later ones are lost.
int tape_write(struct tape_writer *writer, enum tape_kind kind, u64 time, const void *payload,
               size_t size);
// Ends the tape. Without a record there is none.
void tape_finish(struct tape_writer *writer);

// ---- reading (tape_read.c) ---------------------------------------------------------------------

enum tape_result {
    TAPE_OK,
    TAPE_END,     // no more records
    TAPE_CUT,     // the file ends inside a record, since kov may have been killed
    TAPE_DAMAGED, // this record makes no sense, so no later one can be found
};

struct tape_reader {
    FILE *file;
    u64 at; // in bytes
    struct tape_record record;
};

// Opens a tape. Returns NULL if the file is one. Else returns why it is none, for people ("is no
// recording …").
const char *tape_open(struct tape_reader *reader, FILE *file);
enum tape_result tape_next(struct tape_reader *reader);
// Returns the time of the last record that can be read, ns since the tape began; 0: the file is no
// tape. Reads all of the file, and leaves it at its begin.
u64 tape_duration(FILE *file);
void tape_close(struct tape_reader *reader);

// Returns the CRC-32 of a record: of its words but the second, and its payload.
u32 tape_sum(const u8 head[TAPE_RECORD_BYTES], const void *payload, size_t size);

#endif
