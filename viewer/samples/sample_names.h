// SPDX-License-Identifier: MIT
// Names what a sample names: its object, class and process. Finds the symbols of its addresses.
#ifndef KOV_SAMPLE_NAMES_H
#define KOV_SAMPLE_NAMES_H

#include "machine/snapshot.h"
#include "samples/samples.h"
#include "symbols/programs.h"

#define SAMPLE_NAME_BYTES 512

// Returns "[none]", "[stale]" or "[idle]" if the sample has no object, else NULL.
const char *sample_missing_object(const struct sample *sample);
void sample_object_name(const struct snapshot *snapshot, const struct sample *sample,
                        char text[SAMPLE_NAME_BYTES]);
void sample_class_name(const struct snapshot *snapshot, const struct sample *sample,
                       char text[SAMPLE_NAME_BYTES]);
// Writes the process that ran, or for which the kernel worked: "name:pid", "kernel", "[idle]".
void sample_process_name(const struct snapshot *snapshot, const struct sample *sample,
                         char text[SAMPLE_NAME_BYTES]);
// Returns whether the snapshot has all objects of the samples from number `first` on.
bool samples_have_names(const struct sample_set *samples, size_t first,
                        const struct snapshot *snapshot);
// Returns the symbols of a sample's addresses: the kernel's, or those of its process's program if
// `programs` is not NULL. Returns NULL if there are none.
struct symbols *sample_symbols(const struct snapshot *snapshot, struct symbols *kernel,
                               struct programs *programs, const struct sample *sample);

#endif
