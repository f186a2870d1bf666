// SPDX-License-Identifier: MIT
// Bytes packed as gzip does.
#ifndef KOV_GZIP_H
#define KOV_GZIP_H

#include "tools/memory.h"

// Packs data, at most 2 GB, and appends it to `packed`.
void gzip_pack(const u8 *data, size_t size, struct bytes *packed);

#endif
