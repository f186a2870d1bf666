// SPDX-License-Identifier: MIT
// The file that `kov record` writes and `kov report` reads: what was asked for, then the machine's
// own frames (system, classes, objects, samples, final statistics) as they came. docs/kov.md
// describes it.
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
// A dci_tap: writes the frame when it belongs into a recording. Failures show in recording_finish.
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
    bool cut; // the file ends inside a frame: the writer was killed
};

// Any bytes are fine. NULL, or what is wrong with them; `recording` is to be freed in both cases.
const char *recording_decode(const u8 *data, size_t size, struct recording *recording);
int recording_load(const char *path, struct recording *recording);
void recording_free(struct recording *recording);

#endif
