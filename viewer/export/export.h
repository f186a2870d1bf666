// SPDX-License-Identifier: MIT
// Samples of a recording in the formats of other tools.
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
    u64 samples; // counted by those below
};

// These write every chosen sample. An error of the file shows in ferror(out); otherwise KOV_OK, or
// an exit code with a message.

// A line for each distinct stack, "process;object;outermost;…;innermost COUNT", as flame graph
// tools read it. Of one event only.
int export_folded(struct export *export);
// The protocol buffer of pprof, packed by gzip.
int export_pprof(struct export *export);
// The text of `perf script`, in order of time.
int export_perf(struct export *export);

struct export_frame {
    u64 address; // of a caller: of the call itself
    u32 space;   // 0: the kernel, else the process
    struct symbols *symbols;
};
// A sample's stack, innermost first; how many frames it has. The last caller of a sample in the
// kernel may be the process's, from where it entered the kernel.
#define EXPORT_MAX_FRAMES (SAMPLE_MAX_CALLERS + 1)
u32 export_stack(const struct export *export, const struct sample *sample,
                 struct export_frame frames[EXPORT_MAX_FRAMES]);

#endif
