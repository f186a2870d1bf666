// SPDX-License-Identifier: MIT
// A function with its samples beside each instruction and each source line.
#ifndef KOV_ANNOTATION_H
#define KOV_ANNOTATION_H

#include "samples/hot_functions.h"
#include "tools/intern.h"

struct annotated_instruction {
    u64 address, samples, events;
    u32 word;
    u32 file; // number of its name in the annotation's files; ANNOTATION_NO_FILE if no line is
              // known
    u32 line;
};
#define ANNOTATION_NO_FILE UINT32_MAX

struct annotated_line {
    u32 file, line;
    u64 samples, events;
    size_t first, count; // its instructions, as places in by_line
};

struct annotation {
    const struct hot_function *function;
    struct intern files;                        // the first one has the begin of the function
    struct annotated_instruction *instructions; // by address
    size_t count;
    u32 *by_line;                 // numbers of the instructions, sorted by file, line, address
    struct annotated_line *lines; // by file, then line
    size_t line_count, line_capacity;
};

// Makes the annotation. Each instruction of the function is in exactly one line, so instructions
// and lines both add up to the function's samples.
void annotation_make(const struct hot_functions *hot, const struct hot_function *function,
                     struct annotation *annotation);
void annotation_free(struct annotation *annotation);

#endif
