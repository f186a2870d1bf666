// SPDX-License-Identifier: MIT
// Text that came from outside: made harmless for a terminal, and numbers read from it strictly.
#ifndef KOV_TEXT_H
#define KOV_TEXT_H

#include <orrery/types.h>

// Bytes of the UTF-8 character at text; 0 when it is not valid UTF-8 (or text is at its end).
size_t text_utf8_length(const char *text);

// Replaces control characters and bytes that are not UTF-8 by '?', in place. Keeps line ends if
// told to.
void text_make_printable(char *text, bool keep_lines);

// A printable copy of a name or a reason from outside, cut at TEXT_COPY_BYTES with the end: who
// tells many of them cannot fill the memory. NULL: "". To be freed.
#define TEXT_COPY_BYTES 512
char *text_copy_printable(const char *text);

// Are the `length` bytes at text the same as all of `expected`?
bool text_is(const char *text, size_t length, const char *expected);

// Whole text as a number, decimal or 0x…, within minimum…maximum.
bool text_to_u64(const char *text, u64 minimum, u64 maximum, u64 *value);
bool text_to_double(const char *text, double minimum, double maximum, double *value);

#endif
