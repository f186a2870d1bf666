// SPDX-License-Identifier: MIT
// The file that `kov record` writes and `kov report` reads. It has what was asked for, then the
// machine's own frames as they came: system, classes, objects, samples, final statistics.
// docs/kov.md describes it.
#ifndef KOV_RECORDING_H
#define KOV_RECORDING_H

#include "machine/snapshot.h"
#include "samples/samples.h"
#include "samples/sampling.h"
#include "wire/dci.h"

#define RECORDING_MAGIC "KOVREC1\n"
#define RECORDING_MAGIC_BYTES 8
#define RECORDING_DEFAULT_PATH "samples.kov"
#define RECORDING_MAX_BUILD_ID 32

struct recording_writer {
    FILE *file;
    const char *path;
    u64 bytes;
};

int recording_create(struct recording_writer *writer, const char *path,
                     const struct sampling_request *request);
// Writes the frame if it belongs in a recording. It is a dci_tap; recording_finish tells failures.
void recording_tap(void *writer, const struct bytes *payload, const dci_frame *frame);
int recording_finish(struct recording_writer *writer);

struct recording {
    struct sampling_request request;
    u32 cpu_count;
    u64 timebase_hz;
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
