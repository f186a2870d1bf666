// SPDX-License-Identifier: MIT
// What a command has to say, as values with names. A document is built with jansson and printed as
// JSON here; output/columns.h prints it as tables and as CSV. Bytes that are not UTF-8 are
// replaced. If memory runs out, the program ends.
#ifndef KOV_DOCUMENT_H
#define KOV_DOCUMENT_H

#include <jansson.h>
#include <orrery/types.h>

// The form in which the user wants what a command prints: tables for people (also where the command
// prints no tables), or JSON or CSV for programs. Only this module and main.c know the options.
enum output_form { OUTPUT_TABLES, OUTPUT_JSON, OUTPUT_CSV };
enum output_form output_form(void);

// Each adds a member to an object. If key is NULL, it adds an element to an array.
void put_text(json_t *at, const char *key, const char *text); // NULL text: null
void put_u64(json_t *at, const char *key, u64 value);         // beyond 2^63 - 1: a real number
void put_s64(json_t *at, const char *key, s64 value);
void put_number(json_t *at, const char *key, double value); // six digits; not finite: null
void put_bool(json_t *at, const char *key, bool value);
// Adds an address or a COID as "0x…", because JavaScript's numbers hold only 53 bits.
void put_hex(json_t *at, const char *key, u64 value);
// Both return what they have added, which belongs to `at`.
json_t *put_object(json_t *at, const char *key);
json_t *put_array(json_t *at, const char *key);

#define DOCUMENT_FLAGS (JSON_REAL_PRECISION(6) | JSON_ENCODE_ANY)

// Print it to stdout as JSON. The second one frees the document.
void document_write(const json_t *document);
void document_print(json_t *document);

// Prints a document while it grows. Its first member is an array, with one element a line. `rest`
// holds the other members. These functions free what they are given.
void document_begin(const char *key);
void document_element(json_t *element);
void document_end(json_t *rest);

// Begins a series: results that come as time goes on, and those of the end. Its document is printed
// as above if the user asked for JSON. For people the command prints each part itself.
void series_begin(const char *key); // does nothing if it has begun
// Prints an element and returns true if the user asked for JSON. Frees the element.
bool series_add(json_t *element);
// Prints the other members; if no series has begun, they are the document. Frees them.
void series_end(json_t *rest);
// Closes the document of a series that has failed. Does nothing if none has begun.
void series_cut(void);

#endif
