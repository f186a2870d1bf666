// SPDX-License-Identifier: MIT
// What a command has to say, as values with names: built with jansson, printed as JSON here, as
// tables and as CSV by output/columns.h. Text that is not UTF-8 is mended, memory that is not there
// ends the program.
#ifndef KOV_DOCUMENT_H
#define KOV_DOCUMENT_H

#include <jansson.h>
#include <orrery/types.h>

// Each adds a member to an object or, when key is NULL, an element to an array.
void put_text(json_t *at, const char *key, const char *text); // NULL text: null
void put_u64(json_t *at, const char *key, u64 value);         // beyond 2^63 - 1: as a real number
void put_s64(json_t *at, const char *key, s64 value);
void put_number(json_t *at, const char *key, double value); // six digits; not finite: null
void put_bool(json_t *at, const char *key, bool value);
// Addresses and COIDs: "0x…", because JavaScript's numbers hold 53 bits only.
void put_hex(json_t *at, const char *key, u64 value);
// Return what they have added, which belongs to `at`.
json_t *put_object(json_t *at, const char *key);
json_t *put_array(json_t *at, const char *key);

#define DOCUMENT_FLAGS (JSON_REAL_PRECISION(6) | JSON_ENCODE_ANY)

// To stdout, as JSON; the second one frees the document.
void document_write(const json_t *document);
void document_print(json_t *document);

// A document that is printed while it grows: its first member is an array, whose elements come one
// a line; `rest` has the other members. What is given is freed.
void document_begin(const char *key);
void document_element(json_t *element);
void document_end(json_t *rest);

#endif
