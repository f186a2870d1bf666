// SPDX-License-Identifier: MIT
// Bytes packed as gzip does.
#ifndef KOV_GZIP_H
#define KOV_GZIP_H

#include "tools/memory.h"

#include <stdio.h>

// Packs data, at most 2 GB, and appends it to `packed`.
void gzip_pack(const u8 *data, size_t size, struct bytes *packed);

// Returns a stream that packs what is written to it into `to`, or NULL without memory. fclose()
// writes the rest, but leaves `to` open. Errors of `to` are errors of the stream.
FILE *gzip_open(FILE *to);

#endif
