// SPDX-License-Identifier: MIT
// Text that grows.
#ifndef PROC_TEXT_H
#define PROC_TEXT_H

#include <orrery/types.h>

#define TEXT_BYTES_MAX (4UL << 20)

struct text {
    char *bytes; // from malloc
    u64 length, room;
    bool failed; // out of memory, or longer than TEXT_BYTES_MAX: later text is missing
};

// Adds a formatted line of at most 511 bytes; the rest of a longer one is cut. Sets text->failed if
// there is no room.
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
