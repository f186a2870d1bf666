// SPDX-License-Identifier: MIT
// Text from outside: makes it harmless for a terminal and reads numbers from it strictly.
#ifndef KOV_TEXT_H
#define KOV_TEXT_H

#include <orrery/types.h>
#include <stdio.h>

// Replaces control characters and bytes that are not UTF-8 by '?', in place. With `keep_lines` it
// keeps line ends.
void text_make_printable(char *text, bool keep_lines);

// Replaces bytes that are not UTF-8 by '?', in place. What else acts on a terminal stays: it is
// escaped where it is printed.
void text_mend(char *text);

// Looks at the character at text, which has not ended. Writes what people see in its place:
// "\u001b" for a control character or one that changes the direction of what follows, "\xff" for a
// byte that is not UTF-8, "" if it is shown as it is. Returns how many bytes of text that is.
#define TEXT_ESCAPE_BYTES 8 // with the end
size_t text_escape_next(const char *text, char escape[TEXT_ESCAPE_BYTES]);
// Writes all of these so, in place, or '?' where there is no room. room: of text, with the end.
void text_escape(char *text, size_t room);
// Returns a copy with them written so. The caller frees it.
char *text_copy_escaped(const char *text);

// Prints a name so, as what it is, a part of one line: lines.h passes line ends.
void text_print(FILE *out, const char *name);

// Returns the width in characters. A character may have several bytes.
int text_width(const char *text);

// Returns a copy, in UTF-8, of a name or a reason from outside. It is cut at TEXT_COPY_BYTES with
// the end, so that many of them cannot fill the memory. NULL becomes "". The caller frees it.
#define TEXT_COPY_BYTES 512
char *text_copy_bounded(const char *text);

// Returns whether the `length` bytes at text equal all of `expected`.
bool text_is(const char *text, size_t length, const char *expected);

// Reads the whole text as a number, decimal or 0x…. Returns false if it is none within
// minimum…maximum.
bool text_to_u64(const char *text, u64 minimum, u64 maximum, u64 *value);
// Reads it so as bytes: K (1,024) or M may follow.
bool text_to_bytes(const char *text, u64 minimum, u64 maximum, u64 *value);
bool text_to_double(const char *text, double minimum, double maximum, double *value);

#endif
