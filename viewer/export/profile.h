// SPDX-License-Identifier: MIT
// Builds a profile in pprof's form sample by sample. Texts, programs, functions, addresses and
// equal samples are in it once each.
#ifndef KOV_PROFILE_H
#define KOV_PROFILE_H

#include "symbols/symbols.h"
#include "tools/intern.h"
#include "tools/memory.h"

#include <pprof.pb-c.h>

struct profile_list {
    void **items;
    size_t count, capacity;
};

struct profile {
    struct intern texts; // the string table
    struct intern mapping_keys, location_keys, function_keys, sample_keys;
    struct profile_list mappings, locations, functions, samples, types, comments;
    int64_t default_type; // text
};

struct profile_label {
    const char *key, *text;
};

void profile_begin(struct profile *profile);
// Adds another value of each sample.
void profile_add_type(struct profile *profile, const char *type, const char *unit);
void profile_add_comment(struct profile *profile, const char *text);
int64_t profile_text(struct profile *profile, const char *text);

// Returns the number of a program, or of the kernel, and adds it if needed. symbols NULL: not
// known. build_id is hexadecimal.
u64 profile_mapping(struct profile *profile, const char *name, struct symbols *symbols,
                    const char *build_id);
// Returns the number of an address in a program.
u64 profile_location(struct profile *profile, u64 mapping, struct symbols *symbols, u64 address);
// Adds to two values, number `type` and the next one, of the sample with this stack (innermost
// first) and these labels.
void profile_add(struct profile *profile, const u64 *locations, size_t location_count,
                 const struct profile_label *labels, size_t label_count, size_t type,
                 const u64 values[2]);

// Packs the profile as a protocol buffer. duration is in nanoseconds; period 0: none.
void profile_pack(struct profile *profile, u64 duration, int64_t period_type, u64 period,
                  struct bytes *packed);
void profile_free(struct profile *profile);

#endif
