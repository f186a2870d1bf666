// SPDX-License-Identifier: MIT
// Text from outside: makes it harmless for a terminal and reads numbers from it strictly.
#ifndef KOV_TEXT_H
#define KOV_TEXT_H

#include <orrery/types.h>

// Returns the bytes of the UTF-8 character at text. 0 when it is not valid UTF-8, or at the end of
// the text.
size_t text_utf8_length(const char *text);

// Replaces control characters and bytes that are not UTF-8 by '?', in place. With `keep_lines` it
// keeps line ends.
void text_make_printable(char *text, bool keep_lines);

// Returns a printable copy of a name or a reason from outside. It is cut at TEXT_COPY_BYTES with
// the end, so that many of them cannot fill the memory. NULL becomes "". The caller frees it.
#define TEXT_COPY_BYTES 512
char *text_copy_printable(const char *text);

// Returns whether the `length` bytes at text equal all of `expected`.
bool text_is(const char *text, size_t length, const char *expected);

// Reads the whole text as a number, decimal or 0x…. Returns false if it is none within
// minimum…maximum.
bool text_to_u64(const char *text, u64 minimum, u64 maximum, u64 *value);
bool text_to_double(const char *text, double minimum, double maximum, double *value);

#endif
