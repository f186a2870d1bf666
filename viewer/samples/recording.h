// SPDX-License-Identifier: MIT
// The file that `kov record` writes and `kov report` reads. It has what was asked for, then the
// machine's own frames as they came: system, classes, objects, samples, final statistics.
// docs/kov.md describes it.
#ifndef KOV_RECORDING_H
#define KOV_RECORDING_H

#include "machine/snapshot.h"
#include "output/out_file.h"
#include "samples/samples.h"
#include "samples/sampling.h"
#include "wire/dci.h"

#define RECORDING_MAGIC "KOVREC1\n"
#define RECORDING_MAGIC_BYTES 8
#define RECORDING_DEFAULT_PATH "samples.kov"
#define RECORDING_MAX_BUILD_ID 32

struct recording_writer {
    struct out_file out;
    u64 bytes;
    int error; // of the first write that failed; nothing is written after it
};

// Begins a recording. What is at the path stays until recording_keep, then beside it as PATH.old.
// path: NULL is stdout, where nothing else may be printed then.
int recording_create(struct recording_writer *writer, const char *path,
                     const struct sampling_request *request);
// Writes the frame if it belongs in a recording. It is a dci_tap; recording_keep and
// recording_finish tell failures.
void recording_tap(void *writer, const struct bytes *payload, const dci_frame *frame);
// Says that there is something to keep: from now on the recording is at its path, whatever ends it.
// Returns KOV_FAILED with a message if not all could be written.
int recording_keep(struct recording_writer *writer);
// Ends the recording. With code KOV_OK it is kept. With another, it is removed unless it was kept.
// Returns `code`, or KOV_FAILED with a message if not all could be written.
int recording_finish(struct recording_writer *writer, int code);

struct recording {
    struct sampling_request request;
    u32 cpu_count;
    u64 timebase_hz, boot_time; // boot_time: reading of the time base then
    u8 build_id[RECORDING_MAX_BUILD_ID];
    size_t build_id_size;
    struct snapshot snapshot;
    struct sample_set samples;
    bool cut; // the file ends inside a frame because the writer was killed
};

// Decodes a recording. Any bytes are allowed. Returns NULL, or what is wrong with them. The caller
// frees `recording` in both cases.
const char *recording_decode(const u8 *data, size_t size, struct recording *recording);
int recording_load(const char *path, struct recording *recording);
void recording_free(struct recording *recording);

#endif
