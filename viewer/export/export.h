// SPDX-License-Identifier: MIT
// Writes samples of a recording in the formats of other tools.
#ifndef KOV_EXPORT_H
#define KOV_EXPORT_H

#include "samples/sample_choice.h"
#include "symbols/programs.h"

struct export
{
    const struct recording *recording;
    struct symbols *kernel; // may be NULL
    struct programs *programs;
    struct sample_choice choice;
    FILE *out;
    u64 samples; // number of samples written
};

// These write every chosen sample. They return KOV_OK, or an exit code with a message. If the file
// has an error, ferror(out) tells it.

// Writes a line for each distinct stack, "process;object;outermost;…;innermost COUNT", as flame
// graph tools read it. It takes one event only.
int export_folded(struct export *export);
// Writes pprof's protocol buffer, packed by gzip.
int export_pprof(struct export *export);
// Writes the text of `perf script`, in the order of time.
int export_perf(struct export *export);

struct export_frame {
    u64 address; // for a caller, the address of the call
    u32 space;   // 0: the kernel; else the process
    struct symbols *symbols;
};
// Writes a sample's stack, innermost first. Returns how many frames it has. The last caller of a
// sample in the kernel may be the process's code that entered the kernel.
#define EXPORT_MAX_FRAMES (SAMPLE_MAX_CALLERS + 1)
u32 export_stack(const struct export *export, const struct sample *sample,
                 struct export_frame frames[EXPORT_MAX_FRAMES]);

#endif
