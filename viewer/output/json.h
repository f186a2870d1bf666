// SPDX-License-Identifier: MIT
// Writes JSON, one value a call. Nesting is checked by assertions; text is escaped, bytes that are
// not UTF-8 become U+FFFD.
#ifndef KOV_JSON_H
#define KOV_JSON_H

#include <orrery/types.h>
#include <stdio.h>

#define JSON_MAX_DEPTH 16

struct json {
    FILE *out;
    unsigned depth;
    char close[JSON_MAX_DEPTH]; // the bracket that ends each open level
    bool empty[JSON_MAX_DEPTH]; // nothing written at that level yet
};

// Starts a document that is one object.
struct json json_begin(FILE *out);
// Ends it, with a line end.
void json_end(struct json *json);

// key is NULL inside an array.
void json_open_object(struct json *json, const char *key);
void json_open_array(struct json *json, const char *key);
void json_close(struct json *json);

void json_text(struct json *json, const char *key, const char *text); // NULL text: null
void json_u64(struct json *json, const char *key, u64 value);
void json_s64(struct json *json, const char *key, s64 value);
void json_number(struct json *json, const char *key, double value); // not finite: null
void json_bool(struct json *json, const char *key, bool value);
// Addresses and COIDs: "0x…", because JavaScript's numbers hold 53 bits only.
void json_hex(struct json *json, const char *key, u64 value);

#endif
