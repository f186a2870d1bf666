// SPDX-License-Identifier: MIT
// What a sample names, as text: its object, class and process;
// and whose symbols its addresses have.
#ifndef KOV_SAMPLE_NAMES_H
#define KOV_SAMPLE_NAMES_H

#include "machine/snapshot.h"
#include "samples/samples.h"
#include "symbols/programs.h"

#define SAMPLE_NAME_BYTES 512

// What stands for an object that is not there: "[none]", "[stale]", "[idle]"; NULL when it is.
const char *sample_missing_object(const struct sample *sample);
void sample_object_name(const struct snapshot *snapshot, const struct sample *sample,
                        char text[SAMPLE_NAME_BYTES]);
void sample_class_name(const struct snapshot *snapshot, const struct sample *sample,
                       char text[SAMPLE_NAME_BYTES]);
// The process that ran or that the kernel worked for: "name:pid", "kernel", "[idle]".
void sample_process_name(const struct snapshot *snapshot, const struct sample *sample,
                         char text[SAMPLE_NAME_BYTES]);
// Are all objects of the samples from that one on in the snapshot?
bool samples_have_names(const struct sample_set *samples, size_t first,
                        const struct snapshot *snapshot);
// Where the names of its addresses are: the kernel's symbols,
// or those of its process's program, if `programs` is not NULL. NULL: nowhere.
struct symbols *sample_symbols(const struct snapshot *snapshot, struct symbols *kernel,
                               struct programs *programs, const struct sample *sample);

#endif
