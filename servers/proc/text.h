// SPDX-License-Identifier: MIT
// Text that grows.
#ifndef PROC_TEXT_H
#define PROC_TEXT_H

#include <orrery/types.h>

#define TEXT_BYTES_MAX (4UL << 20)

struct text {
    char *bytes; // by malloc
    u64 length, room;
    bool failed; // out of memory, or too long: what came after is not there
};

void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
